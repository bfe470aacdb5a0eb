import { expect } from 'chai';
import type { Credential } from '../../../lib/control/types.ts';
import { newKey } from '../../../lib/control/key-text.ts';
import { SCOPES } from '../../../lib/control/types.ts';
import { afterChange, HOUR, newWorld, nothingOlder, openControl, TESTER } from '../open-control.ts';

describe('who a key speaks for', () => {
  it('knows whom each kind of key speaks for', async () => {
    const { control, organization, adminKey, project, secretKey } = await newWorld();
    const { token, key } = await control.tokens.create(
      { projectId: project.id, name: 't', scopes: ['admin', 'query'] },
      TESTER,
    );
    expect(await control.credentials.find(project.publicKey)).to.deep.equal({
      kind: 'public',
      project,
      scopes: ['track'],
    });
    expect(await control.credentials.find(secretKey)).to.deep.equal({ kind: 'secret', project, scopes: SCOPES });
    expect(await control.credentials.find(adminKey)).to.deep.equal({ kind: 'org_admin', orgId: organization.id });
    const credential = { kind: 'token', project, scopes: ['query', 'admin'], tokenId: token.id, hashKey: null };
    expect(await control.credentials.find(key)).to.deep.equal(credential);
  });

  it('is null for what is no key, and for keys that nobody has', async () => {
    const { control } = await newWorld();
    const texts = ['', 'pk_', 'hello', '__proto__', newKey('pk_'), newKey('sk_'), newKey('ak_'), newKey('aat_')];
    for (const text of texts) expect(await control.credentials.find(text), text).to.equal(null);
  });

  it('takes no key for one of another kind', async () => {
    const { control, secretKey } = await newWorld();
    expect(await control.credentials.find(`pk_${secretKey.slice(3)}`)).to.equal(null);
    expect(await control.credentials.find(`aat_${secretKey.slice(3)}`)).to.equal(null);
  });

  it('forgets a token at the moment it expires', async () => {
    const { control, clock, project } = await newWorld();
    const { key } = await control.tokens.create(
      { projectId: project.id, name: 't', scopes: ['query'], lifetimeMs: HOUR },
      TESTER,
    );
    clock.time += HOUR - 1;
    expect(await control.credentials.find(key)).to.not.equal(null);
    clock.time += 1;
    expect(await control.credentials.find(key)).to.equal(null);
  });

  it('sees a revoked token, a rotated key and a deleted project at once', async () => {
    const { control, adminKey, organization, project, secretKey } = await newWorld();
    const { token, key } = await control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    expect(await control.credentials.find(key)).to.not.equal(null);
    await control.tokens.revoke(project.id, token.id, TESTER);
    expect(await control.credentials.find(key)).to.equal(null);

    expect(await control.credentials.find(secretKey)).to.not.equal(null);
    const { secretKey: rotated } = await control.projects.rotateSecretKey(project.id, 0, TESTER);
    expect(await control.credentials.find(secretKey)).to.equal(null);
    expect((await control.credentials.find(rotated))?.kind).to.equal('secret');

    expect(await control.credentials.find(adminKey)).to.not.equal(null);
    const freshAdminKey = await control.organizations.rotateAdminKey(organization.id, TESTER);
    expect(await control.credentials.find(adminKey)).to.equal(null);
    expect(await control.credentials.find(freshAdminKey)).to.not.equal(null);

    await control.projects.delete(project.id, TESTER);
    for (const gone of [rotated, project.publicKey]) expect(await control.credentials.find(gone)).to.equal(null);
  });

  it('keeps a rotated secret key for its grace, and the public key for ever', async () => {
    const { control, clock, project, secretKey } = await newWorld();
    const { secretKey: rotated } = await control.projects.rotateSecretKey(project.id, HOUR, TESTER);
    expect(rotated).to.not.equal(secretKey);
    expect(await control.projects.secretKey(project.id)).to.equal(rotated);
    clock.time += HOUR - 1;
    expect((await control.credentials.find(secretKey))?.kind).to.equal('secret');
    clock.time += 1;
    expect(await control.credentials.find(secretKey)).to.equal(null);
    expect((await control.credentials.find(rotated))?.kind).to.equal('secret');
    expect((await control.credentials.find(project.publicKey))?.kind).to.equal('public');
  });

  it('ends keys that have a grace left with the next rotation that gives none, and never gives them more', async () => {
    const { control, clock, project, secretKey } = await newWorld();
    const { secretKey: second } = await control.projects.rotateSecretKey(project.id, 2 * HOUR, TESTER);
    const { secretKey: third } = await control.projects.rotateSecretKey(project.id, 24 * HOUR, TESTER);
    clock.time += 2 * HOUR;
    expect(await control.credentials.find(secretKey)).to.equal(null);
    expect((await control.credentials.find(second))?.kind).to.equal('secret');
    const { secretKey: current } = await control.projects.rotateSecretKey(project.id, 0, TESTER);
    for (const leaked of [secretKey, second, third]) expect(await control.credentials.find(leaked)).to.equal(null);
    expect((await control.credentials.find(current))?.kind).to.equal('secret');
    expect((await control.credentials.find(project.publicKey))?.kind).to.equal('public');
  });

  it('sees what another process changes, at once in a file', async () => {
    const { folder, clock, control, project, secretKey } = await newWorld();
    expect(await control.credentials.find(secretKey)).to.not.equal(null);
    const other = await openControl(folder, clock);
    const find = (key: string, isNew: (found: Credential | null) => boolean): Promise<Credential | null> =>
      afterChange(() => control.credentials.find(key), isNew);
    await other.projects.change(project.id, { retentionDays: 30 }, TESTER, nothingOlder(30));
    const keeps = (found: Credential | null): boolean =>
      found?.kind === 'secret' && found.project.settings.retentionDays === 30;
    expect(await find(secretKey, keeps)).to.satisfy(keeps);
    const { token, key } = await other.tokens.create({ projectId: project.id, name: 't', scopes: ['track'] }, TESTER);
    expect((await control.credentials.find(key))?.kind).to.equal('token');
    await other.tokens.revoke(project.id, token.id, TESTER);
    expect(await find(key, (found) => found === null)).to.equal(null);
    await other.projects.rotateSecretKey(project.id, 0, TESTER);
    expect(await find(secretKey, (found) => found === null)).to.equal(null);
  });

  it('notes when a token was last used', async () => {
    const { control, clock, project } = await newWorld();
    const { key } = await control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    expect((await control.tokens.list(project.id))[0]?.lastUsedAt).to.equal(null);
    clock.time += HOUR;
    await control.credentials.find(key);
    expect((await control.tokens.list(project.id))[0]?.lastUsedAt).to.equal(clock.time);
  });
});
