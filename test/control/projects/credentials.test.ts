import { expect } from 'chai';
import { newKey } from '../../../lib/control/key-text.ts';
import { SCOPES } from '../../../lib/control/types.ts';
import { HOUR, newWorld, openControl, TESTER } from '../open-control.ts';

describe('who a key speaks for', () => {
  it('knows whom each kind of key speaks for', () => {
    const { control, organization, adminKey, project, secretKey } = newWorld();
    const { token, key } = control.tokens.create(
      { projectId: project.id, name: 't', scopes: ['admin', 'query'] },
      TESTER,
    );
    expect(control.credentials.find(project.publicKey)).to.deep.equal({ kind: 'public', project, scopes: ['track'] });
    expect(control.credentials.find(secretKey)).to.deep.equal({ kind: 'secret', project, scopes: SCOPES });
    expect(control.credentials.find(adminKey)).to.deep.equal({ kind: 'org_admin', orgId: organization.id });
    const credential = { kind: 'token', project, scopes: ['query', 'admin'], tokenId: token.id };
    expect(control.credentials.find(key)).to.deep.equal(credential);
  });

  it('is null for what is no key, and for keys that nobody has', () => {
    const { control } = newWorld();
    const texts = ['', 'pk_', 'hello', '__proto__', newKey('pk_'), newKey('sk_'), newKey('ak_'), newKey('aat_')];
    for (const text of texts) expect(control.credentials.find(text), text).to.equal(null);
  });

  it('takes no key for one of another kind', () => {
    const { control, secretKey } = newWorld();
    expect(control.credentials.find(`pk_${secretKey.slice(3)}`)).to.equal(null);
    expect(control.credentials.find(`aat_${secretKey.slice(3)}`)).to.equal(null);
  });

  it('forgets a token at the moment it expires', () => {
    const { control, clock, project } = newWorld();
    const { key } = control.tokens.create(
      { projectId: project.id, name: 't', scopes: ['query'], lifetimeMs: HOUR },
      TESTER,
    );
    clock.time += HOUR - 1;
    expect(control.credentials.find(key)).to.not.equal(null);
    clock.time += 1;
    expect(control.credentials.find(key)).to.equal(null);
  });

  it('sees a revoked token, a rotated key and a deleted project at once', () => {
    const { control, adminKey, organization, project, secretKey } = newWorld();
    const { token, key } = control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    expect(control.credentials.find(key)).to.not.equal(null);
    control.tokens.revoke(project.id, token.id, TESTER);
    expect(control.credentials.find(key)).to.equal(null);

    expect(control.credentials.find(secretKey)).to.not.equal(null);
    const { secretKey: rotated } = control.projects.rotateSecretKey(project.id, 0, TESTER);
    expect(control.credentials.find(secretKey)).to.equal(null);
    expect(control.credentials.find(rotated)?.kind).to.equal('secret');

    expect(control.credentials.find(adminKey)).to.not.equal(null);
    const freshAdminKey = control.organizations.rotateAdminKey(organization.id, TESTER);
    expect(control.credentials.find(adminKey)).to.equal(null);
    expect(control.credentials.find(freshAdminKey)).to.not.equal(null);

    control.projects.delete(project.id, TESTER);
    for (const gone of [rotated, project.publicKey]) expect(control.credentials.find(gone)).to.equal(null);
  });

  it('keeps a rotated secret key for its grace, and the public key for ever', () => {
    const { control, clock, project, secretKey } = newWorld();
    const { secretKey: rotated } = control.projects.rotateSecretKey(project.id, HOUR, TESTER);
    expect(rotated).to.not.equal(secretKey);
    expect(control.projects.secretKey(project.id)).to.equal(rotated);
    clock.time += HOUR - 1;
    expect(control.credentials.find(secretKey)?.kind).to.equal('secret');
    clock.time += 1;
    expect(control.credentials.find(secretKey)).to.equal(null);
    expect(control.credentials.find(rotated)?.kind).to.equal('secret');
    expect(control.credentials.find(project.publicKey)?.kind).to.equal('public');
  });

  it('ends keys that have a grace left with the next rotation that gives none, and never gives them more', () => {
    const { control, clock, project, secretKey } = newWorld();
    const { secretKey: second } = control.projects.rotateSecretKey(project.id, 2 * HOUR, TESTER);
    const { secretKey: third } = control.projects.rotateSecretKey(project.id, 24 * HOUR, TESTER);
    clock.time += 2 * HOUR;
    expect(control.credentials.find(secretKey)).to.equal(null);
    expect(control.credentials.find(second)?.kind).to.equal('secret');
    const { secretKey: current } = control.projects.rotateSecretKey(project.id, 0, TESTER);
    for (const leaked of [secretKey, second, third]) expect(control.credentials.find(leaked)).to.equal(null);
    expect(control.credentials.find(current)?.kind).to.equal('secret');
    expect(control.credentials.find(project.publicKey)?.kind).to.equal('public');
  });

  it('sees at once what another process changes', () => {
    const { folder, clock, control, project, secretKey } = newWorld();
    expect(control.credentials.find(secretKey)).to.not.equal(null);
    const other = openControl(folder, clock);
    other.projects.change(project.id, { retentionDays: 30 });
    const credential = control.credentials.find(secretKey);
    expect(credential?.kind === 'secret' && credential.project.settings.retentionDays).to.equal(30);
    const { token, key } = other.tokens.create({ projectId: project.id, name: 't', scopes: ['track'] }, TESTER);
    expect(control.credentials.find(key)?.kind).to.equal('token');
    other.tokens.revoke(project.id, token.id, TESTER);
    expect(control.credentials.find(key)).to.equal(null);
    other.projects.rotateSecretKey(project.id, 0, TESTER);
    expect(control.credentials.find(secretKey)).to.equal(null);
  });

  it('notes when a token was last used', () => {
    const { control, clock, project } = newWorld();
    const { key } = control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    expect(control.tokens.list(project.id)[0]?.lastUsedAt).to.equal(null);
    clock.time += HOUR;
    control.credentials.find(key);
    expect(control.tokens.list(project.id)[0]?.lastUsedAt).to.equal(clock.time);
  });
});
