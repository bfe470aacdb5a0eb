import { expect } from 'chai';
import { newKey } from '../../lib/control/key-text.ts';
import { SCOPES } from '../../lib/control/types.ts';
import { HOUR, newWorld, openControl, TESTER } from './open-control.ts';

describe('findCredential', () => {
  it('knows whom each kind of key speaks for', () => {
    const { control, organization, adminKey, project, secretKey } = newWorld();
    const { token, key } = control.createToken(
      { projectId: project.id, name: 't', scopes: ['admin', 'query'] },
      TESTER,
    );
    expect(control.findCredential(project.publicKey)).to.deep.equal({ kind: 'public', project, scopes: ['track'] });
    expect(control.findCredential(secretKey)).to.deep.equal({ kind: 'secret', project, scopes: SCOPES });
    expect(control.findCredential(adminKey)).to.deep.equal({ kind: 'org_admin', orgId: organization.id });
    const credential = { kind: 'token', project, scopes: ['query', 'admin'], tokenId: token.id };
    expect(control.findCredential(key)).to.deep.equal(credential);
  });

  it('is null for what is no key, and for keys that nobody has', () => {
    const { control } = newWorld();
    const texts = ['', 'pk_', 'hello', '__proto__', newKey('pk_'), newKey('sk_'), newKey('ak_'), newKey('aat_')];
    for (const text of texts) expect(control.findCredential(text), text).to.equal(null);
  });

  it('takes no key for one of another kind', () => {
    const { control, secretKey } = newWorld();
    expect(control.findCredential(`pk_${secretKey.slice(3)}`)).to.equal(null);
    expect(control.findCredential(`aat_${secretKey.slice(3)}`)).to.equal(null);
  });

  it('forgets a token at the moment it expires', () => {
    const { control, clock, project } = newWorld();
    const { key } = control.createToken(
      { projectId: project.id, name: 't', scopes: ['query'], lifetimeMs: HOUR },
      TESTER,
    );
    clock.time += HOUR - 1;
    expect(control.findCredential(key)).to.not.equal(null);
    clock.time += 1;
    expect(control.findCredential(key)).to.equal(null);
  });

  it('sees a revoked token, a rotated key and a deleted project at once', () => {
    const { control, adminKey, organization, project, secretKey } = newWorld();
    const { token, key } = control.createToken({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    expect(control.findCredential(key)).to.not.equal(null);
    control.revokeToken(project.id, token.id, TESTER);
    expect(control.findCredential(key)).to.equal(null);

    expect(control.findCredential(secretKey)).to.not.equal(null);
    const { secretKey: rotated } = control.rotateSecretKey(project.id, 0, TESTER);
    expect(control.findCredential(secretKey)).to.equal(null);
    expect(control.findCredential(rotated)?.kind).to.equal('secret');

    expect(control.findCredential(adminKey)).to.not.equal(null);
    const freshAdminKey = control.rotateAdminKey(organization.id, TESTER);
    expect(control.findCredential(adminKey)).to.equal(null);
    expect(control.findCredential(freshAdminKey)).to.not.equal(null);

    control.deleteProject(project.id, TESTER);
    for (const gone of [rotated, project.publicKey]) expect(control.findCredential(gone)).to.equal(null);
  });

  it('keeps a rotated secret key for its grace, and the public key for ever', () => {
    const { control, clock, project, secretKey } = newWorld();
    const { secretKey: rotated } = control.rotateSecretKey(project.id, HOUR, TESTER);
    expect(rotated).to.not.equal(secretKey);
    expect(control.secretKey(project.id)).to.equal(rotated);
    clock.time += HOUR - 1;
    expect(control.findCredential(secretKey)?.kind).to.equal('secret');
    clock.time += 1;
    expect(control.findCredential(secretKey)).to.equal(null);
    expect(control.findCredential(rotated)?.kind).to.equal('secret');
    expect(control.findCredential(project.publicKey)?.kind).to.equal('public');
  });

  it('ends keys that have a grace left with the next rotation that gives none, and never gives them more', () => {
    const { control, clock, project, secretKey } = newWorld();
    const { secretKey: second } = control.rotateSecretKey(project.id, 2 * HOUR, TESTER);
    const { secretKey: third } = control.rotateSecretKey(project.id, 24 * HOUR, TESTER);
    clock.time += 2 * HOUR;
    expect(control.findCredential(secretKey)).to.equal(null);
    expect(control.findCredential(second)?.kind).to.equal('secret');
    const { secretKey: current } = control.rotateSecretKey(project.id, 0, TESTER);
    for (const leaked of [secretKey, second, third]) expect(control.findCredential(leaked)).to.equal(null);
    expect(control.findCredential(current)?.kind).to.equal('secret');
    expect(control.findCredential(project.publicKey)?.kind).to.equal('public');
  });

  it('sees at once what another process changes', () => {
    const { folder, clock, control, project, secretKey } = newWorld();
    expect(control.findCredential(secretKey)).to.not.equal(null);
    const other = openControl(folder, clock);
    other.changeProject(project.id, { retentionDays: 30 });
    const credential = control.findCredential(secretKey);
    expect(credential?.kind === 'secret' && credential.project.settings.retentionDays).to.equal(30);
    const { token, key } = other.createToken({ projectId: project.id, name: 't', scopes: ['track'] }, TESTER);
    expect(control.findCredential(key)?.kind).to.equal('token');
    other.revokeToken(project.id, token.id, TESTER);
    expect(control.findCredential(key)).to.equal(null);
    other.rotateSecretKey(project.id, 0, TESTER);
    expect(control.findCredential(secretKey)).to.equal(null);
  });

  it('notes when a token was last used', () => {
    const { control, clock, project } = newWorld();
    const { key } = control.createToken({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    expect(control.tokens(project.id)[0]?.lastUsedAt).to.equal(null);
    clock.time += HOUR;
    control.findCredential(key);
    expect(control.tokens(project.id)[0]?.lastUsedAt).to.equal(clock.time);
  });
});
