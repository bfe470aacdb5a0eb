import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { AuditFilter } from '../../lib/control/audit.ts';
import { auditJson } from '../../lib/control/json.ts';
import { HOUR, newWorld, TESTER, onPostgres } from './open-control.ts';
import { refusal } from '../support/refusal.ts';

describe('the audit trail', () => {
  it('tells who did what to what, when and from where, newest first', async () => {
    const { control, clock, organization, project } = await newWorld();
    clock.time += HOUR;
    const { token } = await control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    await control.tokens.revoke(project.id, token.id, { name: 'wl admin', ip: null });
    await control.projects.rotateSecretKey(project.id, 0, TESTER);
    await control.organizations.rotateAdminKey(organization.id, TESTER);
    await control.projects.delete(project.id, TESTER);
    const { entries, nextCursor } = await control.audit.page(organization.id);
    expect(nextCursor).to.equal(null);
    expect(entries.map(({ action, target, actor }) => [action, target, actor])).to.deep.equal([
      ['project.delete', project.id, 'tester'],
      ['key.rotate', organization.id, 'tester'],
      ['key.rotate', project.id, 'tester'],
      ['token.revoke', token.id, 'wl admin'],
      ['token.create', token.id, 'tester'],
      ['project.create', project.id, 'tester'],
    ]);
    const { id, ...rest } = auditJson(entries[4]!);
    expect(id).to.be.a('string');
    expect(rest).to.deep.equal({
      at: '2026-01-15T13:00:00.000Z',
      actor: 'tester',
      action: 'token.create',
      target: token.id,
      ip: '192.0.2.1',
    });
  });

  it('says nothing of what did not happen', async () => {
    const { control, organization, project } = await newWorld();
    await refusal(() => control.tokens.create({ projectId: project.id, name: 't', scopes: [] }, TESTER));
    await refusal(() => control.tokens.revoke(project.id, 'tok_x', TESTER));
    expect((await control.audit.page(organization.id)).entries).to.have.length(1);
  });

  it('is read in pages, within times, and by its own organization', async () => {
    const { control, clock, organization, project } = await newWorld();
    const start = clock.time;
    for (let i = 1; i <= 5; i++) {
      clock.time = start + i * HOUR;
      await control.auditUser('user.export', project.id, `user ${i}`, TESTER);
    }
    const first = await control.audit.page(organization.id, { limit: 4 });
    expect(first.entries).to.have.length(4);
    const second = await control.audit.page(organization.id, { limit: 4, cursor: first.nextCursor ?? '' });
    expect(second.entries.map(({ action }) => action)).to.deep.equal(['user.export', 'project.create']);
    expect(second.nextCursor).to.equal(null);
    const within = await control.audit.page(organization.id, { from: start + 2 * HOUR, to: start + 4 * HOUR });
    expect(within.entries.map(({ at }) => at)).to.deep.equal([start + 3 * HOUR, start + 2 * HOUR]);
    expect((await control.audit.page(organization.id, { cursor: 'nonsense' })).entries).to.deep.equal([]);
    expect(
      (await control.audit.page((await control.organizations.create('Other')).organization.id)).entries,
    ).to.deep.equal([]);
  });

  it('is read by who, in part and in any case, and by what, all of it too', async () => {
    const { control, organization, project } = await newWorld();
    const ada = { name: 'ada@example.com', ip: null };
    await control.projects.rotateSecretKey(project.id, 0, ada);
    await control.auditUser('user.export', project.id, 'a', ada);
    await control.auditUser('user.export', project.id, 'b', { name: '100%_!', ip: null });
    const found = async (filter: AuditFilter): Promise<unknown[]> =>
      (await control.audit.page(organization.id, filter)).entries.map(({ actor, action }) => [actor, action]);
    expect(await found({ actor: 'ADA@' })).to.have.length(2);
    expect(await found({ actor: 'ada', actions: ['key.rotate', 'login'] })).to.deep.equal([[ada.name, 'key.rotate']]);
    expect(await found({ actor: '%_!' })).to.deep.equal([['100%_!', 'user.export']]);
    expect(await found({ actor: 'a_a' })).to.deep.equal([]);
    const all: unknown[] = [];
    for await (const page of control.audit.pages(organization.id, { actions: ['user.export'] })) all.push(...page);
    expect(all).to.have.length(2);
  });

  // Its entries are written into the file.
  if (!onPostgres)
    it('is searched for a time in steps, and others have their turns meanwhile', async () => {
      const { folder, control, clock, organization } = await newWorld();
      const { id: other } = (await control.organizations.create('Other')).organization;
      const database = new Database(join(folder, 'control.db'));
      const insert = database.prepare('INSERT INTO audit (org_id, at, actor, action, target) VALUES (?, ?, ?, ?, ?)');
      database.transaction(() => {
        for (let i = 0; i < 24_000; i++) insert.run(i % 2 === 0 ? organization.id : other, clock.time + i, 'a', 'login', `${i}`);
      })(); // prettier-ignore
      database.close();
      let turns = 0;
      const count = (): void => void (timer = setImmediate(() => ((turns += 1), count())));
      let timer = setImmediate(count);
      const none = await control.audit.page(organization.id, { to: 5 });
      expect([none.entries, none.nextCursor]).to.deep.equal([[], null]);
      expect(turns).to.be.within(2, 10);
      clearImmediate(timer);
      const within = { from: clock.time + 1_000, to: clock.time + 13_001, limit: 1_000 };
      const found: string[] = [];
      for (let cursor: string | null = null; ;) {
        const page = await control.audit.page(organization.id, { ...within, ...(cursor === null ? {} : { cursor }) });
        found.push(...page.entries.map(({ target }) => target));
        if ((cursor = page.nextCursor) === null) break;
      }
      expect(found).to.deep.equal(Array.from({ length: 6_001 }, (_, i) => `${13_000 - 2 * i}`));
    });

  it('holds the id of a user only as a hash, the same for the same user of a project', async () => {
    const { folder, control, organization, project } = await newWorld();
    const other = (await control.projects.create(organization.id, 'Other', TESTER)).project;
    await control.auditUser('user.export', project.id, 'ada@example.com', TESTER);
    await control.auditUser('user.erase', project.id, 'ada@example.com', TESTER);
    await control.auditUser('user.erase', other.id, 'ada@example.com', TESTER);
    const [elsewhere, erased, , exported] = (await control.audit.page(organization.id)).entries.map(
      ({ target }) => target,
    );
    const targets = (await control.audit.page(organization.id)).entries.filter(({ action }) =>
      action.startsWith('user.'),
    );
    expect(targets[1]?.target).to.equal(targets[2]?.target);
    expect(targets[0]?.target.split(':')[1]).to.not.equal(targets[1]?.target.split(':')[1]);
    expect([elsewhere, erased, exported].join()).to.not.include('ada');
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(bytes.some((file) => file.includes('ada@example.com'))).to.equal(false);
  });
});
