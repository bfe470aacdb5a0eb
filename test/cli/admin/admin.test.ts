import fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../run-inside.ts';
import { wl } from '../run-wl.ts';

describe('wl admin', () => {
  it('creates an organization, a project and a token, each as one JSON object', async () => {
    const folder = temporaryFolder();
    const org = record(await wlJson(folder, ['admin', 'org', 'create', 'Acme']));
    expect(Object.keys(org)).to.deep.equal(['id', 'name', 'admin_key']);
    expect(org['id']).to.match(/^org_/);
    expect(org['admin_key']).to.match(/^ak_/);

    const created = await wl(['admin', 'project', 'create', '123', '--json', '--data', folder]);
    const project = record(JSON.parse(created.stdout));
    const fields = ['id', 'org_id', 'name', 'public_key', 'secret_key', 'created_at'];
    expect(Object.keys(project)).to.deep.equal(fields);
    expect(project).to.deep.include({ org_id: org['id'], name: '123' });
    expect(project['public_key']).to.match(/^pk_/);
    expect(project['secret_key']).to.match(/^sk_/);

    const args = ['--scopes', 'query, track', '--expires-in', '720h', '--name', 'ci'];
    const token = record(await wlJson(folder, ['admin', 'token', 'create', String(project['id']), ...args]));
    expect(Object.keys(token)).to.deep.equal(['id', 'project_id', 'name', 'prefix', 'scopes', 'expires_at', 'token']);
    expect(token).to.deep.include({ project_id: project['id'], name: 'ci', scopes: ['track', 'query'] });
    const lifetime = Date.parse(String(token['expires_at'])) - Date.parse(String(project['created_at']));
    expect(Math.round(lifetime / 3_600_000)).to.equal(720);

    const hiding = record(await wlJson(folder, ['admin', 'token', 'create', String(project['id']), '--scopes', 'query', '--no-personal'])); // prettier-ignore
    expect(hiding).to.include({ personal: false });
    await wlJson(folder, ['admin', 'token', 'revoke', String(hiding['id'])]);

    const [listed] = list(await wlJson(folder, ['admin', 'token', 'list', String(project['id'])]));
    expect(listed).to.deep.include({
      id: token['id'],
      prefix: String(token['token']).slice(0, 12),
      last_used_at: null,
    });
    expect(JSON.stringify(listed)).to.not.include(token['token']);
    const revoked = await wlJson(folder, ['admin', 'token', 'revoke', String(token['id'])]);
    expect(revoked).to.deep.equal({ deleted: true, id: token['id'] });
    expect(await wlJson(folder, ['admin', 'token', 'list', String(project['id'])])).to.deep.equal([]);
  });

  it('asks which organization when there are several, and none when there is one', async () => {
    const folder = temporaryFolder();
    const none = await wlInside(['admin', 'project', 'create', 'P', '--data', folder]);
    expect(none.stderr).to.include('wl admin org create');
    await wlJson(folder, ['admin', 'org', 'create', 'A']);
    const b = record(await wlJson(folder, ['admin', 'org', 'create', 'B']));
    const several = await wlInside(['admin', 'project', 'create', 'P', '--data', folder]);
    expect([several.code, several.stdout]).to.deep.equal([1, '']);
    expect(several.stderr).to.include('--org');
    const project = record(await wlJson(folder, ['admin', 'project', 'create', 'P', '--org', String(b['id'])]));
    expect(project['org_id']).to.equal(b['id']);
    expect(list(await wlJson(folder, ['admin', 'org', 'list']))).to.have.length(2);
  });

  it('changes settings of projects and limits of organizations', async () => {
    const folder = temporaryFolder();
    const org = String(record(await wlJson(folder, ['admin', 'org', 'create', 'A']))['id']);
    const project = String(record(await wlJson(folder, ['admin', 'project', 'create', 'P']))['id']);
    const set = ['admin', 'project', 'set', project];
    await wlJson(folder, [
      ...set,
      '--retention-days',
      '30',
      '--ip-policy',
      'none',
      '--timezone',
      'Asia/Tokyo',
      '--week-start',
      'sunday',
      '--personal-properties',
      'phone, address.street',
    ]);
    const changed = record(await wlJson(folder, [...set, '--retention-days', 'none']));
    const settings = {
      retention_days: null,
      ip_policy: 'none',
      timezone: 'Asia/Tokyo',
      week_start: 'sunday',
      bots: 'leave out',
      personal_properties: ['phone', 'address.street'],
      events_per_month: null,
    };
    expect(changed['settings']).to.deep.equal(settings);
    expect(list(await wlJson(folder, ['admin', 'project', 'list']))[0]).to.deep.include({ id: project, settings });

    const limits = record(await wlJson(folder, ['admin', 'limits', org, '--projects', '1']));
    expect(limits['limits']).to.deep.equal({ projects: 1, events_per_month: null, weight: 1 });
    expect(
      (await wlInside(['admin', 'project', 'create', 'Q', '--data', folder])).code,
      'the operator is exempt',
    ).to.equal(0);
    const weighed = record(await wlJson(folder, ['admin', 'limits', org, '--weight', '20']));
    expect(weighed['limits']).to.deep.equal({ projects: 1, events_per_month: null, weight: 20 });
    expect((await wlInside(['admin', 'limits', org, '--weight', '0', '--data', folder])).stderr).to.include(
      'from 1 to 1000',
    );
    await wlJson(folder, ['admin', 'limits', org, '--projects', 'none', '--events-per-month', '1000']);
    const now = record(await wlJson(folder, ['admin', 'limits', org]));
    expect(now['limits']).to.deep.equal({ projects: null, events_per_month: 1000, weight: 20 });
  });

  it('prints text for people without --json, and takes the folder from WINDLASS_DATA', async () => {
    const folder = temporaryFolder();
    const created = await wl(['admin', 'org', 'create', 'Acme Inc'], { WINDLASS_DATA: folder });
    expect(created.stdout).to.match(/^id +org_\S+\nname +Acme Inc\nadmin_key +ak_\S+\n$/);
    const listed = await wl(['admin', 'org', 'list'], { WINDLASS_DATA: folder });
    expect(listed.stdout.split('\n')).to.have.length(3);
    expect(listed.stdout).to.include('Acme Inc');
  });

  it('exits with 1 and a way out for what makes no sense, and leaves everything as it was', async () => {
    const folder = temporaryFolder();
    await wlJson(folder, ['admin', 'org', 'create', 'A']);
    const project = String(record(await wlJson(folder, ['admin', 'project', 'create', 'P']))['id']);
    const before = await wlJson(folder, ['admin', 'project', 'list']);
    const cases: [string[], string][] = [
      [['project', 'set', project], 'name a setting'],
      [['project', 'set', project, '--retention-days', '1d'], '--retention-days'],
      [['project', 'set', project, '--ip-policy', 'some'], 'anonymized'],
      [['project', 'set', project, '--timezone', 'Mars'], 'IANA'],
      [['project', 'set', project, '--timezone', '+02:00'], 'IANA'],
      [['project', 'set', 'prj_x', '--timezone', 'UTC'], 'prj_x'],
      [['token', 'create', project, '--scopes', 'root'], 'track, query, admin'],
      [['token', 'create', project, '--scopes', ','], 'at least one scope'],
      [['token', 'create', project, '--scopes', 'query', '--expires-in', '11y'], '--expires-in'],
      [['token', 'list', 'prj_x'], 'prj_x'],
      [['token', 'revoke', 'tok_x'], 'tok_x'],
      [['limits', 'org_x'], 'org_x'],
      [['login-link', '--email', 'nobody'], 'e-mail address'],
      [['login-link', '--email', 'a@example.com', '--org', 'org_x'], 'org_x'],
      [['login-link', '--email', 'a@example.com', '--org', 'org_x', '--role', 'king'], 'owner'],
      [['login-link', '--email', 'a@example.com', '--url', 'ftp://x'], '--url'],
    ];
    const refuse = async ([args, message]: [string[], string]): Promise<void> => {
      const { code, stdout, stderr } = await wlInside(['admin', ...args, '--data', folder]);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr, args.join(' ')).to.include(message).and.not.include('bug');
    };
    for (const refused of cases) await refuse(refused);
    expect(await wlJson(folder, ['admin', 'project', 'list'])).to.deep.equal(before);
  });

  it('refuses the secret of another data folder', async () => {
    const folder = temporaryFolder();
    await wlJson(folder, ['admin', 'org', 'create', 'A']);
    const args = ['admin', 'org', 'list', '--data', folder];
    const { code, stderr } = await wlInside(args, { WINDLASS_SECRET: 'not the secret of before' });
    expect(code).to.equal(1);
    expect(stderr).to.include('WINDLASS_SECRET').and.not.include('not the secret of before');
  });

  it('names the file of the secret where that is not the one of before', async () => {
    const folder = temporaryFolder();
    await wlJson(folder, ['admin', 'org', 'create', 'A']);
    fs.writeFileSync(join(folder, 'secret'), 'not the secret of before');
    const { code, stderr } = await wlInside(['admin', 'org', 'list', '--data', folder]);
    expect(code).to.equal(1);
    expect(stderr).to.match(
      /^wl: \S+\/secret is not the secret this data folder was created with\n {2}restore that file/,
    );
  });

  it('takes a folder in which SQLite can make no file for what it is, not for damage', async () => {
    const folder = temporaryFolder();
    await wlJson(folder, ['admin', 'org', 'create', 'A']);
    fs.mkdirSync(join(folder, 'control.db-wal'));
    const { code, stdout, stderr } = await wlInside(['admin', 'check', '--data', folder]);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^wl: the control database cannot be written \(SQLITE_CANTOPEN\)\n/);
  });

  it('never lets a control character of a name reach the terminal', async () => {
    const { code, stderr } = await wlInside(['admin', 'limits', 'a\u001b[31mb', '--data', temporaryFolder()]);
    expect(code).to.equal(1);
    expect(stderr).to.not.include('\u001b');
  });
});

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`no object: ${String(value)}`);
  return { ...value };
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error(`no array: ${String(value)}`);
  return value;
}
