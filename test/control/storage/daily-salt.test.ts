import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DailySalt } from '../../../lib/control/storage/daily-salt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const DAY = 86_400_000;

function saltAt(folder: string, time: number): { hex: string; close: () => void } {
  const salt = new DailySalt(folder, () => time);
  return { hex: Buffer.from(salt.salt).toString('hex'), close: () => salt.close() };
}

describe('the salt of the day', () => {
  it('is the same all day, over restarts, and readable by its owner alone', () => {
    const folder = temporaryFolder();
    const [morning, evening] = [saltAt(folder, NOON - 43_200_000), saltAt(folder, NOON + 43_199_999)];
    expect(evening.hex).to.equal(morning.hex);
    expect(statSync(join(folder, 'daily-salt')).mode & 0o777).to.equal(0o600);
    for (const { close } of [morning, evening]) close();
  });

  it('is written over in place when the next day begins, also when nothing ran at midnight', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'daily-salt');
    let now = NOON;
    const salt = new DailySalt(folder, () => now);
    const first = Buffer.from(salt.salt).toString('hex');
    const { ino, size } = statSync(file);
    expect(readFileSync(file, 'utf8')).to.equal(`2026-03-01 ${first}\n`);
    now += DAY;
    const second = Buffer.from(salt.salt).toString('hex');
    expect(second).to.not.equal(first);
    salt.close();
    const third = saltAt(folder, NOON + 2 * DAY);
    expect(third.hex).to.not.equal(second);
    third.close();
    expect(readFileSync(file, 'utf8')).to.equal(`2026-03-03 ${third.hex}\n`);
    expect(statSync(file)).to.include({ ino, size });
  });

  it('is made anew where its file is damaged', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'daily-salt'), '2026-03-01 torn');
    const { hex, close } = saltAt(folder, NOON);
    close();
    expect(readFileSync(join(folder, 'daily-salt'), 'utf8')).to.equal(`2026-03-01 ${hex}\n`);
    expect(hex)
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.match(/^0+$/);
  });
});
