import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { isKeyShaped, newId, newKey } from '../../lib/control/key-text.ts';
import { newWorld, refusal, TESTER, HOUR, SECRET } from './open-control.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('ids and keys', () => {
  it('are their prefix and random characters that are safe in URLs', () => {
    expect(newId('prj_')).to.match(/^prj_[\w-]{22}$/);
    expect(newKey('sk_')).to.match(/^sk_[0-9A-Za-z]{43}$/);
    expect(new Set(Array.from({ length: 1000 }, () => newKey('pk_'))).size).to.equal(1000);
  });

  it('of another shape are no keys', () => {
    for (const text of [
      '',
      'sk_',
      'sk_short',
      newKey('pk_').slice(1),
      `${newKey('pk_')}x`,
      'xx_' + newKey('pk_').slice(3),
    ]) {
      expect(isKeyShaped(text), text).to.equal(false);
    }
  });
});

describe('the control database on disk', () => {
  it('holds public keys, but of all other keys not a byte that would give them away', () => {
    const { folder, control, adminKey, project, secretKey } = newWorld();
    const { key: token } = control.tokens.create({ projectId: project.id, name: 'ci', scopes: ['query'] }, TESTER);
    const rotated = control.projects.rotateSecretKey(project.id, HOUR, TESTER).secretKey;
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    const holds = (text: string): boolean => bytes.some((file) => file.includes(text));
    expect(holds(project.publicKey)).to.equal(true);
    for (const key of [adminKey, secretKey, rotated, token]) expect(holds(key.slice(16)), key).to.equal(false);
  });

  it('shows the secret key of a project again', () => {
    const { control, project, secretKey } = newWorld();
    expect(control.projects.secretKey(project.id)).to.equal(secretKey);
  });

  it('cannot be opened with another secret', () => {
    const { folder } = newWorld();
    expect(refusal(() => ControlDatabase.open(folder, { secret: 'quite another secret' })).message).to.include(
      'WINDLASS_SECRET',
    );
  });

  it('cannot be opened with a secret that is easy to guess', () => {
    expect(refusal(() => ControlDatabase.open(temporaryFolder(), { secret: 'short' })).code).to.equal('bad_request');
  });

  it('opens again with the secret it was made with', () => {
    const { folder, control, project, secretKey } = newWorld();
    control.flush();
    const again = ControlDatabase.open(folder, { secret: SECRET });
    expect(again.projects.secretKey(project.id)).to.equal(secretKey);
    again.close();
  });
});
