import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ControlDatabase, readOrCreateSecret } from '../../../lib/control/database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { refusal } from '../../support/refusal.ts';

describe('the secret of a data folder', () => {
  it('is made once, long, and readable by its owner alone', () => {
    const folder = temporaryFolder();
    const secret = readOrCreateSecret(folder);
    expect(secret.length).to.be.at.least(43);
    expect(readOrCreateSecret(folder)).to.equal(secret);
    expect(statSync(join(folder, 'secret')).mode & 0o777).to.equal(0o600);
  });

  it('is used when no other is given', async () => {
    const folder = temporaryFolder();
    await (await ControlDatabase.open(folder, { secret: null })).close();
    const secret = readFileSync(join(folder, 'secret'), 'utf8').trim();
    await (await ControlDatabase.open(folder, { secret })).close();
  });

  it('is refused when its file was emptied', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret'), '\n');
    expect((await refusal(() => readOrCreateSecret(folder))).message).to.include('empty');
  });
});
