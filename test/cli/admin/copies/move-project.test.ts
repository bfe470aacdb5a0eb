import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { stagedShard } from '../../../../lib/backup/place-project.ts';
import { ControlDatabase } from '../../../../lib/control/database.ts';
import { shardPath } from '../../../../lib/shards/file/shard-file.ts';
import { fetch } from '../../../support/checked-fetch.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../../run-inside.ts';
import { lastTwoDays } from '../../../support/last-two-days.ts';
import { addThings, ALERT, event, serve } from './moved-things.ts';

type Json = Record<string, unknown>;
const BY = { name: 'test', ip: null };
const WL = fileURLToPath(new URL('../../../../bin/wl.js', import.meta.url));

describe('a project that moves', () => {
  let from: TestService;
  let to: TestService;
  let id: string;
  /** A token that sees no personal data. */
  let agent: string;
  before(async () => {
    from = await startTestService({ WINDLASS_SEAL_ROWS: '4' });
    to = await startTestService();
    id = from.keys.project.id;
    await send([...[1, 2, 3].map((n) => event('ann', n)), event('bob', 4), event('bob', 5)]);
    expect((await from.post('/identify', { user_id: 'ann', user_properties: { plan: 'pro' } })).status).to.equal(200);
    const control = await ControlDatabase.open(from.folder, { secret: null });
    agent = await addThings(control, id);
    await control.close();
  });
  after(async () => {
    await from.stop();
    await to.stop();
  });

  const send = async (events: readonly Json[]): Promise<void> => {
    const answer = await from.post('/track', { events });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  const ask = async (host: TestService, key: string, q: string): Promise<Json[]> => {
    const headers = { 'X-API-Key': key };
    const body = JSON.stringify({ q, format: 'json' });
    const answer = await fetch(`${host.url}/query`, { method: 'POST', headers, body });
    const rows = (await answer.json()) as Json[];
    expect(answer.status, JSON.stringify(rows)).to.equal(200);
    return rows;
  };
  const run = async (host: TestService, ...args: string[]): Promise<Json> =>
    (await wlJson(host.folder, ['admin', ...args])) as Json;
  const fails = async (host: TestService, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await wlInside(['admin', ...args, '--data', host.folder]);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.not.include('bug');
    expect(fs.readdirSync(host.folder).filter((name) => name.includes('partial'))).to.deep.equal([]);
    return stderr;
  };
  const fileOf = async (...options: string[]): Promise<string> => {
    const file = join(temporaryFolder(), 'shop.windlass');
    await run(from, 'project', 'export', id, file, ...options);
    return file;
  };

  it('has events, profiles, settings, dashboards, cohorts, alerts and saved questions on the other host, under new keys, and its senders are asked once', async () => {
    const file = await fileOf();
    expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
    expect(fs.readFileSync(file).includes(from.keys.secretKey), 'a secret key in it').to.equal(false);
    const made = await run(to, 'project', 'import', file, '--name', 'Moved');
    const key = String(made['secret_key']);
    expect(made).to.include({ name: 'Moved' });
    expect(made['settings']).to.include({ timezone: 'Europe/Paris', week_start: 'sunday', retention_days: 400 });
    expect(made['settings']).to.deep.include({ personal_properties: ['phone'], events_per_month: 9 });
    expect(await ask(to, key, 'view | count by user_id, user.plan')).to.deep.equal([
      { user_id: 'ann', 'user.plan': 'pro', count: 3 },
      { user_id: 'bob', 'user.plan': null, count: 2 },
    ]);
    const headers = { 'X-API-Key': key };
    const again = { events: [event('ann', 1), event('cid', 9)] };
    expect((await fetch(`${to.url}/track`, { method: 'POST', headers, body: JSON.stringify(again) })).status).to.equal(
      200,
    );
    expect(await ask(to, key, 'view | count'), 'an insert id is known on the other host').to.deep.equal([{ count: 6 }]);
    const control = await ControlDatabase.open(to.folder, { secret: null });
    const board = { projectId: String(made['id']), id: 'board', owner: null };
    expect([
      (await control.dashboards.find(board))?.yaml,
      (await control.dashboards.find(board, 1))?.yaml,
    ]).to.deep.equal(['two', 'one']);
    const where = async (version: number) => (await control.cohorts.find(board.projectId, 'viewers', version))?.where;
    expect([await where(1), await where(2)]).to.deep.equal(['did(view)', 'did(view) >= 3']);
    const alert = await control.alerts.find(board.projectId, 'few');
    expect(alert).to.deep.include({ yaml: 'Second', version: 2, state: 'ok', alert: { ...ALERT, title: 'Second' } });
    expect(new Date(alert!.nextAt!).toISOString()).to.match(/T0[78]:00:00/); // nine in Paris
    expect((await control.alerts.find(board.projectId, 'few', 1))?.yaml).to.equal('First');
    const questions = await control.savedQuestions.versions(board.projectId, 'Views');
    expect(questions.map(({ query, by }) => [query, by])).to.deep.equal([
      ['view | unique', BY.name],
      ['view | count', BY.name],
    ]);
    expect(await ask(to, key, 'view | where cohort "viewers" | unique')).to.deep.equal([{ unique: 1 }]);
    const annotations = await control.annotations.list(board.projectId);
    expect(annotations.map(({ at, text, createdBy }) => [at, text, createdBy])).to.have.deep.members([[5, 'Version 2', BY.name], [5, 'Version 3', BY.name]]); // prettier-ignore
    for (const { events_stored: stored } of await control.usage.ofProject(board.projectId, lastTwoDays()))
      expect(stored, 'is not billed for what it brought').to.be.below(2);
    expect(
      (await control.audit.page((await control.projects.get(board.projectId)).orgId)).entries.map(
        ({ action }) => action,
      ),
    ).to.include('project.import');
    await control.close();
  });

  it('keeps its keys and tokens where that is asked, and not beside the original', async () => {
    const file = await fileOf('--keep-keys');
    expect(await fails(from, 'project', 'import', file, '--keep-keys')).to.include('in use on this host');
    const made = await run(to, 'project', 'import', file, '--keep-keys');
    expect(made['secret_key']).to.equal(from.keys.secretKey);
    expect(await ask(to, from.keys.secretKey, 'view | count')).to.deep.equal([{ count: 5 }]);
    const hashes = await ask(from, agent, 'view | count by user_id');
    expect(JSON.stringify(hashes)).to.match(/"h_/).and.not.include('ann');
    expect(await ask(to, agent, 'view | count by user_id'), 'ids have the same hashes').to.deep.equal(hashes);
    const control = await ControlDatabase.open(to.folder, { secret: null });
    expect((await control.tokens.list(String(made['id']))).map(({ name }) => name)).to.deep.equal(['robot', 'agent']);
    await control.close();
    expect(await fails(to, 'project', 'import', await fileOf(), '--keep-keys')).to.include('has no keys');
  });

  it('leaves behind who was erased, also where that came after the export', async () => {
    const file = await fileOf();
    await send([event('zoe', 1), event('zoe', 2)]);
    const later = await fileOf();
    const headers = { 'X-API-Key': from.keys.secretKey };
    expect((await fetch(`${from.url}/api/gdpr/users/zoe`, { method: 'DELETE', headers })).status).to.equal(200);
    await send([event('zoe', 3)]);
    for (const [exported, count] of [
      [file, 0],
      [later, 0],
      [await fileOf(), 1],
    ] as const) {
      const { secret_key: key } = await run(from, 'project', 'import', exported);
      expect(await ask(from, String(key), 'view | where user_id = "zoe" | count')).to.deep.equal([{ count }]);
    }
  });

  it('is refused with a sentence where the file is not one, is torn, or is of a newer release, and nothing is there', async () => {
    const file = await fileOf();
    const whole = fs.readFileSync(file);
    const broken = join(temporaryFolder(), 'broken');
    const before = await wlJson(from.folder, ['admin', 'project', 'list']);
    const shards = fs.readdirSync(join(from.folder, 'shards')).length;
    const refusal = async (bytes: Buffer | string): Promise<string> => {
      fs.writeFileSync(broken, bytes);
      return fails(from, 'project', 'import', broken);
    };
    expect(await refusal('')).to.include('is not an exported project');
    expect(await refusal('a letter to a friend')).to.include('is not an exported project');
    for (const length of [150, whole.length >> 1, whole.length - 1])
      expect(await refusal(whole.subarray(0, length))).to.include('damaged or was not copied whole');
    const flipped = Buffer.from(whole);
    flipped[whole.length - 5_000]! ^= 1;
    expect(await refusal(flipped)).to.include('damaged');
    expect(await refusal(whole.toString('latin1').replace('project 1 ', 'project 2 '))).to.include('newer release');
    expect(await fails(from, 'project', 'import', join(broken, 'nowhere'))).to.include('cannot be read');
    expect(await fails(from, 'project', 'export', 'prj_nobody', join(temporaryFolder(), 'x'))).to.include('no project');
    expect(await fails(from, 'project', 'export', id, file)).to.include('already exists');
    expect(await wlJson(from.folder, ['admin', 'project', 'list'])).to.deep.equal(before);
    expect(fs.readdirSync(join(from.folder, 'shards'))).to.have.length(shards);
  });

  it('is refused with a sentence where somebody has changed the file and its checksums, and nothing is there', async () => {
    const whole = fs.readFileSync(await fileOf('--keep-keys'));
    const line = whole.indexOf('\n') + 1;
    const end = line + Number(whole.toString('latin1', 0, line).split(' ')[3]);
    const head = JSON.parse(whole.toString('utf8', line, end)) as Record<'project' | 'shard', Json>;
    const broken = join(temporaryFolder(), 'broken');
    const shards = fs.readdirSync(join(to.folder, 'shards')).length;
    const refusal = async (text: string, shard: Buffer): Promise<string> => {
      const sum = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
      const json = Buffer.from(text.replace('SUM', sum(shard)).replace('"BYTES"', String(shard.length)));
      const first = Buffer.from(`windlass project 1 ${json.length} ${sum(json)}\n`);
      fs.writeFileSync(broken, Buffer.concat([first, json, shard]));
      return fails(to, 'project', 'import', broken, '--keep-keys');
    };
    const textOf = (project: Json): string =>
      JSON.stringify({ ...head, project: { ...head.project, ...project }, shard: { bytes: 'BYTES', sha256: 'SUM' } });
    type Parts = Record<'dashboards' | 'cohorts' | 'alerts' | 'questions', Json[]> & { keys: { tokens: Json[] } };
    const { dashboards, cohorts, alerts, questions, keys } = head.project as unknown as Parts;
    const alert = { ...alerts[0]! };
    const [, latest] = alert['versions'] as Json[];
    const alertWith = (part: Json): Json => ({
      alerts: [{ ...alert, versions: [{ ...latest, checked: JSON.stringify({ ...ALERT, ...part }) }] }],
    });
    const cohort = { ...cohorts[0]! };
    const [older, newer] = cohort['versions'] as Json[];
    const board = { ...dashboards[0]! };
    const [version] = board['versions'] as Json[];
    for (const [project, path] of [
      [{ id: '../x' }, 'project.id'],
      [{ settings: { ...(head.project['settings'] as Json), timezone: [] } }, 'project.settings.timezone'],
      [{ settings: { ...(head.project['settings'] as Json), weekStart: 7 } }, 'project.settings.weekStart'],
      [
        { settings: { ...(head.project['settings'] as Json), personalProperties: [1] } },
        'project.settings.personalProperties.0',
      ],
      [{ hash_key: 7 }, 'project.hash_key'],
      [{ dashboards: [null] }, 'project.dashboards.0'],
      [{ dashboards: [board, board] }, 'project.dashboards'],
      [{ dashboards: [{ ...board, version: 9 }] }, 'project.dashboards.0'],
      [
        { dashboards: [{ ...board, version: 1, versions: [{ ...version, checked: '}' }] }] },
        'project.dashboards.0.versions.0.checked',
      ],
      [{ cohorts: [cohort, cohort] }, 'project.cohorts'],
      [{ cohorts: [{ ...cohort, name: 'a"b' }] }, 'project.cohorts.0.name'],
      [{ cohorts: [{ ...cohort, versions: [newer, older] }] }, 'project.cohorts.0'],
      [{ cohorts: [{ ...cohort, versions: [older, { ...newer, uses: '{}' }] }] }, 'project.cohorts.0.versions.1.uses'],
      [
        { cohorts: [{ ...cohort, versions: [older, { ...newer, condition: 'x'.repeat(4_097) }] }] },
        'project.cohorts.0.versions.1.condition',
      ],
      [{ alerts: [alert, alert] }, 'project.alerts'],
      [alertWith({ paused: 1 }), 'project.alerts.0.versions.0.checked'],
      [alertWith({ to: [{ kind: 'sms', to: '1' }] }), 'project.alerts.0.versions.0.checked'],
      [{ questions: [questions[0], questions[0]] }, 'project.questions'],
      [{ questions: [{ ...questions[0], name: ' a' }] }, 'project.questions.0.name'],
      [{ annotations: [{ at: -1, text: 'x', created_at: 1, created_by: 'y' }] }, 'project.annotations.0.at'],
      [{ keys: { ...keys, secret_key: 'sk_1' } }, 'project.keys.secret_key'],
      [{ keys: { ...keys, tokens: [{ ...keys.tokens[0], personal: 'no' }] } }, 'project.keys.tokens.0.personal'],
      [{ keys: { ...keys, tokens: [{ ...keys.tokens[0], scopes: 'query,all' }] } }, 'project.keys.tokens.0.scopes'],
    ] as const) {
      const told = await refusal(textOf(project), whole.subarray(end));
      expect(told).to.include(`cannot be imported: ${path} in its head is not as an export writes it`);
    }
    expect(await refusal('{"project":', whole.subarray(end))).to.include('its head is not as an export writes it');
    expect(await refusal(textOf({}).replace('"BYTES"', '5'), whole.subarray(end))).to.include('not as long');
    const file = join(temporaryFolder(), 'shard.db');
    for (const change of [
      'DROP TABLE meta',
      'DROP TABLE usage',
      'CREATE VIEW x AS SELECT 1',
      'CREATE INDEX x ON segments (abs(rows))',
      'ALTER TABLE profiles ADD COLUMN more CHECK (more < 9)',
      'ALTER TABLE profiles ADD COLUMN more AS (zeroblob(1000000000))',
      'CREATE VIRTUAL TABLE x USING fts5(a)',
      "UPDATE profiles SET first_seen = 'x'",
      'UPDATE profiles SET person = 1000',
    ]) {
      fs.writeFileSync(file, whole.subarray(end));
      const shard = new Database(file);
      shard.exec(change);
      shard.close();
      expect(await refusal(textOf({}), fs.readFileSync(file)), change).to.match(/cannot be imported: the data of /);
    }
    expect(fs.readdirSync(join(to.folder, 'shards'))).to.have.length(shards);
  });

  it('is left as it is by a full disk and by a kill, and what is half made goes with the next', async () => {
    const target = join(temporaryFolder(), 'shop.windlass');
    const args = [WL, 'admin', 'project', 'export', id, target, '--data', from.folder];
    const limited = await new Promise<string>((resolve) => {
      const script = 'ulimit -f 8; exec "$0" "$@"';
      execFile('sh', ['-c', script, process.execPath, ...args], (_error, _stdout, stderr) => resolve(stderr));
    });
    expect(limited).to.match(/^wl: \S+ or the data folder cannot be used \(\w+\)\n/);
    expect(fs.readdirSync(join(target, '..'))).to.deep.equal([]);
    const dead = `${target}.partial-999999`;
    fs.mkdirSync(dead);
    fs.writeFileSync(join(dead, 'file'), 'half');
    await run(from, 'project', 'export', id, target);
    expect(fs.readdirSync(join(target, '..'))).to.deep.equal(['shop.windlass']);
  });

  it('comes out of a backup beside what is there now, and not when it was deleted', async () => {
    const control = await ControlDatabase.open(from.folder, { secret: null });
    const other = await control.projects.create(from.keys.organization.id, 'Other', BY);
    await control.close();
    const headers = { 'X-API-Key': other.secretKey };
    const body = JSON.stringify({ events: [event('eve', 1), event('eve', 2)] });
    expect((await fetch(`${from.url}/track`, { method: 'POST', headers, body })).status).to.equal(200);
    const target = join(temporaryFolder(), 'backups');
    await run(from, 'backup', target, '--keep', '3');
    const restored = await run(from, 'restore', target, '--project', other.project.id, '--as-new');
    expect(restored['name']).to.match(/^Other as of \d{4}-/);
    expect(await ask(from, String(restored['secret_key']), 'view | count')).to.deep.equal([{ count: 2 }]);
    expect(fs.existsSync(shardPath(from.folder, String(restored['id'])))).to.equal(true);
    await run(from, 'project', 'delete', other.project.id, '--name', 'Other');
    expect(await fails(from, 'restore', target, '--project', other.project.id, '--as-new')).to.include('was deleted');
    expect(await fails(from, 'restore', target, '--project', 'prj_nobody', '--as-new')).to.include('no project');
    expect(await fails(from, 'restore', temporaryFolder(), '--project', id, '--as-new')).to.include(
      'there is no backup in',
    );
  });

  describe('in the place of what is there', () => {
    const counted = async (host: TestService, key: string): Promise<unknown> =>
      (await ask(host, key, 'view | count by user_id')).map((row) => [row['user_id'], row['count']]);
    const billed = async (project: string): Promise<number> => {
      const control = await ControlDatabase.open(from.folder, { secret: null });
      const days = await control.usage.ofProject(project, lastTwoDays());
      await control.close();
      return days.reduce((sum, { events_stored: stored }) => sum + stored, 0);
    };
    /** A project that had 3 events at the backup and has got others since. */
    const world = async (): Promise<{
      target: string;
      project: string;
      key: string;
      add: (e: Json[]) => Promise<void>;
    }> => {
      const control = await ControlDatabase.open(from.folder, { secret: null });
      const { project, secretKey: key } = await control.projects.create(from.keys.organization.id, 'Shop', BY);
      await control.close();
      const add = async (events: readonly Json[]): Promise<void> => {
        const answer = await fetch(`${from.url}/track`, {
          ...{ method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify({ events }) },
        });
        expect(answer.status).to.equal(200);
      };
      await add([event('ann', 1), event('ann', 2), event('bob', 3)]);
      const target = join(temporaryFolder(), 'backups');
      await run(from, 'backup', target, '--keep', '3');
      return { target, project: project.id, key, add };
    };

    it('is refused where that is newer, and done by the running service with --force; keys go on, and the bill stays', async () => {
      const { target, project, key, add } = await world();
      await add([event('cid', 4), event('cid', 5), event('ann', 6), event('ann', 7), event('ann', 8)]);
      while ((await billed(project)) < 8) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await fails(from, 'restore', target, '--project', project)).to.include('newer than the backup');
      expect(await counted(from, key)).to.deep.equal([['ann', 5], ['cid', 2], ['bob', 1]]); // prettier-ignore
      await run(from, 'restore', target, '--project', project, '--force');
      expect(await counted(from, key)).to.deep.equal([['ann', 2], ['bob', 1]]); // prettier-ignore
      await add([event('ann', 2), event('dan', 9)]);
      expect(await counted(from, key), 'an insert id of the backup counts once').to.have.deep.members([
        ['ann', 2],
        ['bob', 1],
        ['dan', 1],
      ]);
      while ((await billed(project)) < 9) await new Promise((resolve) => setTimeout(resolve, 20));
      const aside = fs.readdirSync(from.folder).filter((name) => name.startsWith('replaced-'));
      expect(fs.existsSync(join(from.folder, aside[0]!, 'shards', `${project}.db`))).to.equal(true);
    });

    it('mends a damaged project, and brings nobody back who was erased', async () => {
      const { target, project, key, add } = await world();
      const erased = await fetch(`${from.url}/api/gdpr/users/bob`, { method: 'DELETE', headers: { 'X-API-Key': key } });
      expect(erased.status).to.equal(200);
      await add([event('bob', 5)]);
      expect(await run(from, 'restore', target, '--project', project, '--force')).to.include({ erased_events: 1 });
      expect(await counted(from, key)).to.deep.equal([['ann', 2]]);
      await add([event('bob', 6)]);
      await run(from, 'backup', target, '--keep', '3');
      await run(from, 'restore', target, '--project', project);
      expect(await counted(from, key)).to.have.deep.members([['ann', 2], ['bob', 1]]); // prettier-ignore
    });

    it('works without a service, too, and the next one goes on with it', async () => {
      const { target, project, key } = await world();
      const data = join(temporaryFolder(), 'data');
      await wlJson(data, ['admin', 'restore', target]);
      fs.writeFileSync(shardPath(data, project), 'no shard at all'.repeat(1_000));
      const { code, stderr } = await wlInside(['admin', 'restore', target, '--project', project, '--data', data]);
      expect([code, stderr]).to.satisfy(([exit, told]: [number, string]) => exit === 1 && told.includes('is damaged'));
      await wlJson(data, ['admin', 'restore', target, '--project', project, '--force']);
      expect(await wlJson(data, ['admin', 'check'])).to.include({ ok: true });
      const service = await serve(data);
      try {
        expect(await counted({ ...from, url: service.url }, key)).to.deep.equal([['ann', 2], ['bob', 1]]); // prettier-ignore
      } finally {
        await service.close();
      }
    });

    it('is done by the next service where a crash came before, and what nobody asks for is removed', async () => {
      const { target, project, key } = await world();
      const data = join(temporaryFolder(), 'data');
      await wlJson(data, ['admin', 'restore', target]);
      const control = await ControlDatabase.open(data, { secret: null });
      fs.copyFileSync(shardPath(data, project), stagedShard(data, project));
      fs.writeFileSync(stagedShard(data, 'prj_other'), 'left behind');
      await control.operator.replacements.ask({ projectId: project, force: true }, BY);
      const service = await serve(data);
      try {
        while ((await control.operator.replacements.take(project)) === undefined)
          await new Promise((resolve) => setTimeout(resolve, 20));
        expect(await counted({ ...from, url: service.url }, key)).to.deep.equal([['ann', 2], ['bob', 1]]); // prettier-ignore
        expect(fs.readdirSync(join(data, 'shards')).filter((name) => name.includes('restore'))).to.deep.equal([]);
      } finally {
        await control.close();
        await service.close();
      }
    });
  });
});
