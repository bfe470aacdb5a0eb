import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `wl` as a process. No variable of the tests' own environment reaches it but PATH. */
export async function wl(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** As `wl`, on a data folder, with --json: what it prints. Throws when it fails. */
export async function wlJson(folder: string, args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await wl([...args, '--json', '--data', folder]);
  if (code !== 0) throw new Error(`wl ${args.join(' ')}: exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
