import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkControl } from '../../../lib/control/process/check.ts';
import { CONTROL_FILE } from '../../../lib/control/database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newWorld, openControl, TESTER } from '../open-control.ts';
import { makeOldTokens, ownersOfTokens, UNDONE } from './old-tokens.ts';
import { refusal } from '../../support/refusal.ts';
import { readFileSync, writeFileSync } from 'node:fs';

describe('the schema of the control database', () => {
  it('is made once, and a second opening finds what the first has written', async () => {
    const { folder, project } = await newWorld();
    expect(await (await openControl(folder)).projects.list()).to.deep.equal([project]);
  });

  it('of an earlier release gets what is new and keeps what it has', async () => {
    const { folder, control, project } = await newWorld();
    await control.close();
    const db = new Database(join(folder, CONTROL_FILE));
    db.exec(UNDONE);
    for (const table of ['identities', 'members', 'invitations', 'sessions', 'login_links', 'accounts']) {
      db.exec(`DROP TABLE ${table}`);
    }
    db.exec(`DROP INDEX organizations_of_creator`);
    for (const column of ['weight', 'created_by']) db.exec(`ALTER TABLE organizations DROP COLUMN ${column}`);
    db.pragma('user_version = 1');
    db.close();
    const migrated = await openControl(folder);
    const settings = { ...project.settings, bots: 'keep' };
    expect(await migrated.projects.list()).to.deep.equal([{ ...project, settings }]);
    const { token } = await migrated.logins.createLink('ada@example.com');
    expect((await migrated.logins.redeem(token, { ip: null }))?.email).to.equal('ada@example.com');
  });

  it('of a release in which only operators suspended keeps what they have suspended', async () => {
    const { folder, control, project } = await newWorld();
    await control.close();
    const db = new Database(join(folder, CONTROL_FILE));
    db.exec(`${UNDONE} DROP TABLE suspensions;
      CREATE TABLE suspensions (project_id TEXT PRIMARY KEY, what TEXT NOT NULL, reason TEXT NOT NULL) STRICT, WITHOUT ROWID`);
    db.prepare('INSERT INTO suspensions VALUES (?, ?, ?)').run(project.id, 'ingest', 'unpaid');
    db.pragma('user_version = 10');
    db.close();
    const { suspensions } = await (await openControl(folder)).projects.get(project.id);
    expect(suspensions).to.deep.equal([{ by: 'operator', what: 'ingest', reason: 'unpaid' }]);
  });

  it('of a release without it takes the role viewer, keeps its members, and ends its sessions', async () => {
    const { folder, control, organization } = await newWorld();
    await control.logins.redeem(
      (await control.logins.createLink('ada@example.com', { orgId: organization.id, role: 'owner' })).token,
      { ip: null },
    );
    await control.members.invite(organization.id, 'b@example.com', 'admin', TESTER);
    const before = await control.members.list(organization.id);
    await control.close();
    const db = new Database(join(folder, CONTROL_FILE));
    db.exec(UNDONE);
    db.exec('DROP TABLE sessions; CREATE TABLE sessions (hash BLOB PRIMARY KEY) STRICT');
    db.exec("INSERT INTO sessions VALUES (x'00')");
    db.pragma('user_version = 3');
    db.close();
    const migrated = await openControl(folder);
    expect(await migrated.members.list(organization.id)).to.deep.equal(before);
    await migrated.members.invite(organization.id, 'c@example.com', 'viewer', TESTER);
    const [{ organization: mine } = {}] = await migrated.members.ofAccount(
      (await migrated.logins.redeem((await migrated.logins.createLink('c@example.com')).token, { ip: null }))?.id ?? '',
    );
    expect(mine?.id).to.equal(organization.id);
    expect(checkControl(folder).problems).to.deep.equal([]);
  });

  it('of a release without them gives tokens the account that made them, where one can tell', async () => {
    const world = await newWorld();
    const expected = await makeOldTokens(world);
    await world.control.close();
    const db = new Database(join(world.folder, CONTROL_FILE));
    db.exec(UNDONE);
    db.pragma('user_version = 15');
    db.close();
    const migrated = await openControl(world.folder);
    expect(await ownersOfTokens(migrated, world.project.id)).to.deep.equal(expected);
    expect((await migrated.projects.get(world.project.id)).settings).to.include({ weekStart: 'monday', bots: 'keep' });
    expect(checkControl(world.folder).problems).to.deep.equal([]);
  });

  it('of a newer release is left alone', async () => {
    const { folder, control } = await newWorld();
    await control.close();
    const db = new Database(join(folder, CONTROL_FILE));
    db.pragma('user_version = 9999');
    db.close();
    const { code, message } = await refusal(() => openControl(folder));
    expect([code, message]).to.deep.equal([
      'storage_unavailable',
      'the control database was written by a newer release of Windlass',
    ]);
  });
});

describe('checkControl', () => {
  it('finds nothing in a good database and names its projects', async () => {
    const { folder, project } = await newWorld();
    expect(checkControl(folder)).to.deep.equal({ problems: [], projects: new Map([[project.id, 'Shop']]) });
  });

  it('finds damage', async () => {
    const { folder, control } = await newWorld();
    await control.close();
    const file = join(folder, CONTROL_FILE);
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096, 12 * 4096);
    writeFileSync(file, bytes);
    expect(checkControl(folder).problems).to.not.deep.equal([]);
    expect((await refusal(async () => (await openControl(folder)).projects.list())).message).to.include('damaged');
  });

  it('refuses a folder that is no data folder', async () => {
    expect((await refusal(() => checkControl(temporaryFolder()))).code).to.equal('not_found');
  });
});
