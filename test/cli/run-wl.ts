import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

export const PROGRAM = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Around {
  /** The content of stdin; left out: it is at its end. */
  readonly input?: string | Buffer;
  /** The current folder. */
  readonly cwd?: string;
}

/** Runs the built `wl` as a process. Of the tests' own environment it only gets PATH and the compile cache. */
export async function wl(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { input, cwd }: Around = {},
): Promise<Finished> {
  const child = startWl(args, env, cwd);
  child.stdin.on('error', () => undefined).end(input); // it may end before it has read everything
  const [code, stdout, stderr] = await Promise.all([exitOf(child), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Starts `wl` with its own home, without configuration. */
export function startWl(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...COMPILE_CACHE, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** The exit code; null if a signal ended it. */
export function exitOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
}
