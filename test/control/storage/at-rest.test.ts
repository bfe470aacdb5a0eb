import Database from 'better-sqlite3';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CONTROL_FILE, ControlDatabase } from '../../../lib/control/database.ts';
import { refusal } from '../../support/refusal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { DAY, HOUR, newWorld, SECRET, TESTER } from '../open-control.ts';

describe('the control database on disk', () => {
  it('holds public keys, but of all other keys not a byte that would give them away', async () => {
    const { folder, control, adminKey, project, secretKey } = await newWorld();
    const { key: token } = await control.tokens.create(
      { projectId: project.id, name: 'ci', scopes: ['query'] },
      TESTER,
    );
    const rotated = (await control.projects.rotateSecretKey(project.id, HOUR, TESTER)).secretKey;
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    const holds = (text: string): boolean => bytes.some((file) => file.includes(text));
    expect(holds(project.publicKey)).to.equal(true);
    for (const key of [adminKey, secretKey, rotated, token]) expect(holds(key.slice(16)), key).to.equal(false);
  });

  it('shows the secret key of a project again', async () => {
    const { control, project, secretKey } = await newWorld();
    expect(await control.projects.secretKey(project.id)).to.equal(secretKey);
  });

  it('cannot be opened with another secret', async () => {
    const { folder } = await newWorld();
    expect((await refusal(() => ControlDatabase.open(folder, { secret: 'quite another secret' }))).message).to.include(
      'WINDLASS_SECRET',
    );
  });

  it('cannot be opened with a secret that is easy to guess', async () => {
    expect((await refusal(() => ControlDatabase.open(temporaryFolder(), { secret: 'short' }))).code).to.equal(
      'bad_request',
    );
  });

  it('opens again with the secret it was made with', async () => {
    const { folder, control, project, secretKey } = await newWorld();
    await control.flush();
    const again = await ControlDatabase.open(folder, { secret: SECRET });
    expect(await again.projects.secretKey(project.id)).to.equal(secretKey);
    await again.close();
  });

  it('holds no secret of a session, and no row of one that has expired', async () => {
    const { control, clock, folder } = await newWorld();
    const person = { issuer: 'https://login.example', subject: 'a', email: null, emailVerified: false, name: null };
    const accountId = (await control.logins.logIn(person, { ip: null })).id;
    const id = await control.sessions.create(accountId, { ip: null, userAgent: null });
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(bytes.some((file) => file.includes(id))).to.equal(false);
    clock.time += 30 * DAY;
    await control.sessions.create(accountId, { ip: null, userAgent: null });
    const db = new Database(join(folder, CONTROL_FILE), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM sessions').pluck().get()).to.equal(1);
    db.close();
  });

  it('holds an audit trail that SQL cannot change either', async () => {
    const { folder } = await newWorld();
    const db = new Database(join(folder, CONTROL_FILE));
    try {
      expect(() => db.exec('DELETE FROM audit')).to.throw('append-only');
      expect(() => db.exec("UPDATE audit SET actor = 'nobody'")).to.throw('append-only');
    } finally {
      db.close();
    }
  });
});
