import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sharedService } from '../../support/shared-service.ts';
import { clientOf, type ClientService } from '../client-service.ts';
import { wlInside } from '../run-inside.ts';
import { exitOf, startWl } from '../run-wl.ts';
import { json, ScriptedServer, taken, type Received } from '../scripted-server.ts';
import { zipOf } from './zip-file.ts';

interface Sent {
  readonly event_type: string;
  readonly insert_id: string;
  readonly import_id: string;
}

const eventsOf = (requests: readonly Received[]): readonly Sent[] =>
  requests
    .filter(({ url }) => url.startsWith('/track'))
    .flatMap(({ body }) => (JSON.parse(body) as { events: readonly Sent[] }).events);

const line = (type: string, more: object = {}): string =>
  `${JSON.stringify({ event_type: type, time: '2026-01-01T00:00:00Z', user_id: 'u1', ...more })}\n`;

const manyLines = (count: number): string => Array.from({ length: count }, (_, i) => line(`e${i}`)).join('');

/** Where a run keeps how far it has come: outside of the home of whoever runs the tests. */
const homed = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  ...env,
  XDG_CONFIG_HOME: temporaryFolder(),
});

describe('wl import', () => {
  let folder: string;
  let server: ScriptedServer;
  let env: Record<string, string>;
  const written = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  async function serve(...replies: ConstructorParameters<typeof ScriptedServer>[0][number][]): Promise<void> {
    server = new ScriptedServer(replies.slice(0, -1), replies.at(-1) ?? answered);
    env = homed({ WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' });
  }
  /** As the server answers, which knows no imports: what is stored is not counted. */
  const answered: ConstructorParameters<typeof ScriptedServer>[1] = (response, request) =>
    (request.url.startsWith('/query') ? json(400, { error: 'no such field', code: 'bad_request' }) : taken)(
      response,
      request,
    );
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => server?.stop());

  it('gives records the same ids in every run, and equal records ids of their own', async () => {
    await serve(answered);
    const path = written('a.ndjson', line('a') + line('a') + line('b') + line('c', { insert_id: 'own' }));
    const runs: (readonly Sent[])[] = [];
    for (const file of [
      path,
      written('other-name.gz', gzipSync(line('a') + line('a') + line('b') + line('c', { insert_id: 'own' }))),
    ]) {
      const { code, stderr } = await wlInside(['import', file], env);
      expect(code, stderr).to.equal(0);
      runs.push(eventsOf(server.requests.splice(0)));
    }
    const [first = [], second = []] = runs.map((events) => events.map(({ insert_id: id }) => id));
    expect(new Set(first).size).to.equal(4);
    expect([first[1], first[3], second]).to.deep.equal([`${first[0]!}-1`, 'own', first]);
    const ids = runs.flat().map(({ import_id: id }) => id);
    expect(ids.slice(0, 4).every((id) => /^ndjson-[0-9a-f]{16}$/.test(id) && id === ids[0])).to.equal(true);
    expect(ids[4], 'another content').to.not.equal(ids[0]);
    await wlInside(['import', path, '--id', 'mine'], env);
    expect(eventsOf(server.requests)[0]!.import_id).to.equal('mine');
  });

  it('takes its id from the content of the files, whatever they are called and in which order they come', async () => {
    await serve(answered);
    const [a, b] = [written('1', line('a')), written('2', line('b'))];
    for (const words of [[a, b], [b, a], [folder]]) await wlInside(['import', ...words], env);
    const ids = new Set(eventsOf(server.requests).map(({ import_id: id }) => id));
    expect([ids.size, eventsOf(server.requests).length]).to.deep.equal([1, 6]);
  });

  it('reads stdin, also compressed and as an archive', async () => {
    await serve(answered);
    for (const input of [line('a'), gzipSync(line('a')), zipOf({ x: line('a') })])
      expect((await wlInside(['import', '-'], env, { input })).stderr).to.include(
        ' is lines of JSON as Windlass takes them\n',
      );
    expect(eventsOf(server.requests).map(({ event_type: type }) => type)).to.deep.equal(['a', 'a', 'a']);
  });

  it('sends profiles and bindings as lines to /identify', async () => {
    await serve(json(200, { accepted: 2, rejected: 0, first_errors: [], warnings: [] }));
    const lines = '{"user_id":"u1","user_properties":{"plan":"pro"}}\n{"user_id":"u1","device_id":"d1"}\n';
    const { code, stdout } = await wlInside(['import', written('p.ndjson', lines)], env);
    expect([code, JSON.parse(stdout).profiles]).to.deep.equal([0, 2]);
    const [request] = server.requests;
    expect(request!.url).to.equal('/identify');
    expect(request!.headers['content-type']).to.equal('application/x-ndjson');
    expect(`${request!.body}\n`).to.equal(lines);
  });

  it('shows what would become of a file, and sends nothing', async () => {
    const events = Array.from({ length: 12 }, (_, i) => ({ event: `E${i % 2}`, properties: { time: 1_767_225_600 + i, distinct_id: `u${i}`, n: i, $import: true } }));
    const path = written('mixpanel.ndjson', `${events.map((event) => JSON.stringify(event)).join('\n')}\nno\n`);
    const { code, stdout, stderr } = await wlInside(['import', path, '--dry-run', '--format', 'table'], {});
    expect(code, stderr).to.equal(1);
    expect(stdout.split('\n').filter((row) => row.startsWith('2026-01-01')), 'ten of them').to.have.length(10);
    expect(stdout).to.match(/E0 +6\n/).and.match(/event_properties\.n +12\n/).and.match(/\$import +12  of its way/);
    expect(stderr).to.include("is Mixpanel's raw export").and.include('nothing was sent').and.include('line 13: it is not JSON');
    const told = JSON.parse((await wlInside(['import', path, '--dry-run', '--skip-bad'], {})).stdout);
    expect(told).to.deep.include({ events: 12, users: 12, first_day: '2026-01-01', unreadable: 1 });
    expect(told.sample).to.have.length(10);
  }); // prettier-ignore

  it('says what a file is, if not what was named', async () => {
    const mixpanel = written('m', '{"event":"a","properties":{"time":1,"distinct_id":"u"}}\n');
    const wrong = await wlInside(['import', 'segment', mixpanel], {});
    expect([wrong.code, wrong.stderr]).to.deep.equal([1, `wl: ${mixpanel} is not Segment's archive.\n  It looks like Mixpanel's raw export: wl import mixpanel …\n`]);
    const strange = written('s', 'when,what\n1,2\n');
    const unknown = await wlInside(['import', strange], {});
    expect(unknown.stderr).to.include('is of no format that is known').and.include('when, what').and.include('--map FILE');
    expect((await wlInside(['import', 'csv', strange], {})).stderr).to.include('is not CSV');
    expect((await wlInside(['import', written('e', '\n\n')], {})).stderr).to.include('There is no record');
    expect((await wlInside(['import', 'mixpanel'], {})).stderr).to.include('needs a file');
    for (const flags of [['--id', 'x y'], ['--timezone', 'Mars/Base']]) {
      const { code, stderr } = await wlInside(['import', mixpanel, ...flags], {});
      expect([code, stderr.includes(flags[0]!)], stderr).to.deep.equal([1, true]);
    }
  }); // prettier-ignore

  it('refuses a public key, and none, before it sends anything', async () => {
    const path = written('a', line('a'));
    await serve(answered);
    for (const key of ['pk_x', undefined]) {
      const { code, stderr } = await wlInside(['import', path], { WINDLASS_HOST: env['WINDLASS_HOST']!, ...(key && { WINDLASS_API_KEY: key }) });
      expect([code, server.requests.length], stderr).to.deep.equal([1, 0]);
      expect(stderr).to.include('a secret key (sk_) or an access token (aat_)');
    }
  }); // prettier-ignore

  it('waits at a limit as long as it takes, and says until when', async () => {
    const slow = json(429, { error: 'Too fast.', code: 'rate_limited' }, { 'retry-after': '0' });
    await serve(slow, slow, slow, slow, slow, answered);
    const { code, stderr } = await wlInside(['import', written('a', line('a'))], env);
    expect([code, eventsOf(server.requests).length], stderr).to.deep.equal([0, 6]);
    expect(stderr).to.match(/wl: Too fast\. Slowed until \d\d:\d\d:\d\d \(\d\.\d s\)\./);
  }).timeout(60_000);

  it('says where it stopped when the month is used up, and goes on from there', async () => {
    let left = 2;
    await serve((response, request) => {
      if (request.url.startsWith('/query')) json(200, STORED)(response, request);
      else if (left-- > 0) taken(response, request);
      else json(403, { error: 'No more this month.', code: 'limit_reached' })(response, request);
    });
    const path = written('a', manyLines(7_500));
    const first = await wlInside(['import', path], env);
    expect(first.code, first.stderr).to.equal(1);
    const [, done] =
      /Stopped after (\d),000 records: No more this month\.\n[^]*goes on from there/.exec(first.stderr) ?? [];
    expect(done, first.stderr).to.be.oneOf(['1', '2']);
    left = Infinity;
    server.requests.splice(0);
    const second = await wlInside(['import', path], env);
    expect(second.code, second.stderr).to.equal(0);
    expect(second.stderr).to.include(`goes on after the ${done},000 records`);
    const sent = eventsOf(server.requests);
    expect([sent.length, sent[0]!.event_type]).to.deep.equal([7_500 - Number(done) * 1_000, `e${Number(done)}000`]);
    expect(JSON.parse(second.stdout).source.events, 'of all of it').to.equal(7_500);
    server.requests.splice(0);
    await wlInside(['import', path], env);
    expect(eventsOf(server.requests), 'after its end it begins again').to.have.length(7_500);
  });

  it('begins again if nothing is stored any more of what was sent', async () => {
    let left = 1;
    await serve((response, request) => {
      if (request.url.startsWith('/query')) json(200, { ...STORED, rows: [{ count: 0 }] })(response, request);
      else if (left-- > 0) taken(response, request);
      else json(403, { error: 'No more.', code: 'limit_reached' })(response, request);
    });
    const path = written('a', manyLines(2_500));
    expect((await wlInside(['import', path], env)).stderr).to.include('Stopped after 1,000 records');
    expect((await wlInside(['import', path], env)).stderr).to.include('Stopped before any record was stored');
    expect(readdirSync(join(env['XDG_CONFIG_HOME']!, 'windlass', 'imports')), 'the number is not kept').to.deep.equal(
      [],
    );
    left = Infinity;
    server.requests.splice(0);
    await wlInside(['import', path], env);
    expect(eventsOf(server.requests)).to.have.length(2_500);
  });

  it('goes on after it was killed', async () => {
    let isSlow = true;
    await serve((response, request) => {
      if (request.url.startsWith('/query')) json(200, STORED)(response, request);
      else if (!isSlow || eventsOf([request])[0]!.event_type === 'e0')
        setTimeout(() => taken(response, request), isSlow ? 1_100 : 0);
      else if (eventsOf([request])[0]!.event_type === 'e1000') taken(response, request);
    });
    const path = written('a', manyLines(9_000));
    const child = startWl(['import', path], env);
    const said = text(child.stderr);
    const ended = exitOf(child).then((code) => ({ code }));
    const standing = join(env['XDG_CONFIG_HOME']!, 'windlass', 'imports');
    const kept = (): string[] =>
      existsSync(standing) ? readdirSync(standing).filter((name) => name.endsWith('.json')) : [];
    while (kept().length === 0) {
      const early = await Promise.race([ended, sleep(20)]);
      if (early) expect.fail(`it ended with ${early.code}: ${await said}`);
    }
    child.kill('SIGKILL');
    await ended;
    isSlow = false;
    server.requests.splice(0);
    const { records } = JSON.parse(readFileSync(join(standing, kept()[0]!), 'utf8')) as { records: number };
    expect(records, 'what was answered in whichever order').to.be.oneOf([1_000, 2_000]);
    const { code, stderr } = await wlInside(['import', path], env);
    expect([code, eventsOf(server.requests).length], stderr).to.deep.equal([0, 9_000 - records]);
    expect(readdirSync(standing)).to.deep.equal([]);
  });
});

const STORED = {
  columns: ['count', 'unique', 'min', 'max'],
  column_types: [],
  rows: [{ count: 7_500, unique: 1, min: '2026-01-01T00:00:00.000Z', max: '2026-01-01T00:00:00.000Z' }],
  range: { from: '2026-01-01', to: '2026-01-02', timezone: 'UTC' },
  notes: [],
};

describe('wl import into a service', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
  });
  const run = (words: readonly string[]): ReturnType<ClientService['wl']> =>
    service.wl(['import', ...words], { env: { XDG_CONFIG_HOME: temporaryFolder() } });

  it('holds what is stored against what was read, and stores nothing twice', async () => {
    const path = join(temporaryFolder(), 'a.ndjson');
    const lines = Array.from({ length: 2_500 }, (_, i) =>
      line('import_row', {
        ...{ user_id: `u${i % 40}`, time: 1_767_225_600 + i * 60, insert_id: i === 7 ? 'i6' : `i${i}` },
        ...(i === 20 ? { _device_type: 'bot' } : {}), // stored, too, whatever answers leave out
      }),
    );
    writeFileSync(path, `${lines.join('')}{"user_id":"u1","user_properties":{"plan":"pro"}}\n${line('')}`);
    for (let round = 0; round < 2; round++) {
      const { code, stdout, stderr } = await run([path]);
      expect(code, stderr).to.equal(1);
      const { source, stored, profiles, not_imported: left } = JSON.parse(stdout);
      const days = { first_day: '2026-01-01', last_day: '2026-01-02' };
      expect(source).to.deep.equal({ events: 2_501, users: 40, ...days });
      expect(stored).to.deep.equal({ events: 2_499, users: 40, ...days });
      expect([profiles, left]).to.deep.equal([1, 1]);
      expect(stderr).to.match(/line 2,502: .*event_type/);
      expect(stderr).to.include(
        'of 2 events nothing is stored: 1 rejected, 1 stored once though more often in the source, or by an import before',
      );
    }
    expect(await service.rows('import_row | with bots | count | all')).to.deep.include({ count: 2_499 });
    expect((await run([path, '--skip-bad'])).code).to.equal(0);
  });

  it('takes back all that wl export writes', async () => {
    const [from, to] = [clientOf(await sharedService()), clientOf(await sharedService())];
    const [sent, exported] = ['sent', 'exported'].map((name) => join(temporaryFolder(), name));
    const bound = '{"user_id":"u1","device_id":"d1","user_properties":{"plan":"pro"}}\n';
    writeFileSync(sent!, line('a', { _country: 'DE' }) + line('b', { user_id: 'u2', device_id: 'd1' }) + bound);
    const config = { env: { XDG_CONFIG_HOME: temporaryFolder() } };
    expect((await from.wl(['import', sent!], config)).code).to.equal(0);
    expect((await from.wl(['export', '--kind', 'all', '--output', exported!], config)).code).to.equal(0);
    const { code, stderr } = await to.wl(['import', 'ndjson', exported!], config);
    expect([code, stderr]).to.deep.equal([0, '']);
    for (const q of ['* | count, unique by event_type, _country, user.plan | all', 'users | all'])
      expect(await to.rows(q), q).to.deep.equal(await from.rows(q));
  });

  it('is undone by its id, and runs again then', async () => {
    const path = join(temporaryFolder(), 'a.ndjson');
    writeFileSync(path, line('import_undone') + line('import_undone'));
    const id = JSON.parse((await run([path])).stdout).import_id as string;
    expect(await service.rows('import_undone | count | all')).to.deep.include({ count: 2 });
    const { code, stderr } = await run(['undo', id, '--yes']);
    expect(code, stderr).to.equal(0);
    expect(await service.rows('import_undone | count | all')).to.deep.include({ count: 0 });
    expect(JSON.parse((await run([path])).stdout).stored.events).to.equal(2);
  });

  it('brings what other products know of a person, its device and place', async () => {
    const path = join(temporaryFolder(), 'mixpanel.ndjson');
    const known = {
      $browser: 'Firefox',
      $os: 'Linux',
      mp_country_code: 'CH',
      $city: 'Bern',
      $current_url: 'https://a.example/p',
    };
    const event = {
      event: 'From Mixpanel',
      properties: { time: 1_767_225_600, distinct_id: 'm1', $insert_id: 'x', ...known },
    };
    const profile = { $distinct_id: 'm1', $properties: { $email: 'm1@b.example' } };
    writeFileSync(path, [event, profile].map((one) => `${JSON.stringify(one)}\n`).join(''));
    const { code, stderr } = await run([path, '--timezone', 'America/New_York']);
    expect(code, stderr).to.equal(0);
    const [row] = await service.rows('"From Mixpanel" | list | all');
    expect(row).to.deep.include({ user_id: 'm1', time: '2026-01-01T05:00:00.000Z', _browser: 'Firefox', _os: 'Linux' });
    expect(row).to.deep.include({ _country: 'CH', _city: 'Bern' });
    expect(await service.rows('"From Mixpanel" | count by user.email, _path | all')).to.deep.equal([
      { 'user.email': 'm1@b.example', _path: '/p', count: 1 },
    ]);
  });
});
