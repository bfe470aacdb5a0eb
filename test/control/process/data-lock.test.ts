import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { DataLock } from '../../../lib/control/process/data-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openControl } from '../open-control.ts';
import { refusal } from '../../support/refusal.ts';

describe('the lock of a data folder', () => {
  it('is given to one at a time', async () => {
    const folder = temporaryFolder();
    const lock = DataLock.acquire(folder);
    expect((await refusal(() => DataLock.acquire(folder))).code).to.equal('conflict');
    lock.release();
    DataLock.acquire(folder).release();
  });

  it('is held against other processes, and released when its holder is killed', async () => {
    const folder = temporaryFolder();
    const program = fileURLToPath(new URL('./hold-lock.js', import.meta.url));
    const holder = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(holder.stdout, 'data');
      expect((await refusal(() => DataLock.acquire(folder))).message).to.include(folder);
      await (await openControl(folder)).organizations.create('Beside the server');
    } finally {
      holder.kill('SIGKILL');
    }
    await once(holder, 'exit');
    DataLock.acquire(folder).release();
  });
});
