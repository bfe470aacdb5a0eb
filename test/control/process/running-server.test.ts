import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DataLock } from '../../../lib/control/process/data-lock.ts';
import { forgetAddress, noteAddress, runningAddress } from '../../../lib/control/process/data-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the address of the server of a data folder', () => {
  it('counts while somebody holds the lock, and not a moment longer', () => {
    const folder = temporaryFolder();
    expect(runningAddress(folder)).to.equal(null);
    const lock = DataLock.acquire(folder);
    expect(runningAddress(folder), 'not ready yet').to.equal(null);
    noteAddress(folder, 'https://stats.example.org');
    expect(runningAddress(folder)).to.equal('https://stats.example.org');
    lock.release(); // as when the process is killed: the note stays behind
    expect(runningAddress(folder)).to.equal(null);
    const next = DataLock.acquire(folder);
    forgetAddress(folder);
    expect(runningAddress(folder)).to.equal(null);
    next.release();
  });

  it('is none when the note holds anything else', () => {
    const folder = temporaryFolder();
    const lock = DataLock.acquire(folder);
    for (const text of ['', '127.0.0.1:8080', 'javascript:alert(1)', 'file:///etc/passwd']) {
      writeFileSync(join(folder, 'address'), text);
      expect(runningAddress(folder), text).to.equal(null);
    }
    lock.release();
  });

  it('is asked for without taking the lock from anybody', () => {
    const folder = temporaryFolder();
    DataLock.acquire(folder).release();
    expect(DataLock.isHeld(folder)).to.equal(false);
    const lock = DataLock.acquire(folder);
    expect([DataLock.isHeld(folder), DataLock.isHeld(folder)]).to.deep.equal([true, true]);
    expect(() => DataLock.acquire(folder)).to.throw('another server');
    lock.release();
  });
});
