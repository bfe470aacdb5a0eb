import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import type { Finished } from './run-wl.ts';

/** Runs a program to its end, with this environment, a compile cache, and nothing on stdin. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { env, cwd }: { env: Readonly<Record<string, string>>; cwd?: string },
): Promise<Finished> {
  const child = spawn(file, args, { env: { ...COMPILE_CACHE, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
