/** A ClickHouse in a process of its own, which is chDB. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface ChdbProcess {
  readonly url: string;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** The same, and removes the folder. */
  remove(): Promise<void>;
}

/** A server over a folder. */
export async function startChdbProcess(folder: string, port = 0): Promise<ChdbProcess> {
  const child = fork(path.join(import.meta.dirname, 'server.js'), [folder, String(port)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' }, // each running statement holds a thread
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the engine of ClickHouse ended at once: `npm run test:cluster` installs it');
  });
  const [told] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
  ended.catch(() => undefined); // later it may
  child.channel?.unref();
  child.unref();
  const kill = async (): Promise<void> => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url: `http://127.0.0.1:${told.port}`,
    kill,
    remove: async () => {
      await kill(); // else it would write while its files are removed
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function chdbFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'windlass-chdb-'));
}
