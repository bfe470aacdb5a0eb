import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../lib/cli/main.ts';
import { Terminal } from '../../lib/cli/terminal.ts';
import type { Finished } from './run-wl.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * As `wl`, in this process: a tenth of the time, where a test is about what a command does, and not about pipes, signals or the
 * ends of processes. One line at a time, as each has the variables of the process for its own.
 */
export function wlInside(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  const finished = last.then(() => run(args, env));
  last = finished.catch(() => undefined);
  return finished;
}

/** As `wlInside`, on a data folder, with --json: what it prints. Throws when it fails. */
export async function wlJson(folder: string, args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await wlInside([...args, '--json', '--data', folder]);
  if (code !== 0) throw new Error(`wl ${args.join(' ')}: exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Finished> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(stdout), text(stderr)]);
  const own = process.env;
  process.env = { PATH: own['PATH'], TMPDIR: own['TMPDIR'], HOME: '/nonexistent', ...env };
  try {
    const code = await main(args, new Terminal(stdout, stderr));
    stdout.end();
    stderr.end();
    const [data, diagnostics] = await written;
    return { code, stdout: data, stderr: diagnostics };
  } finally {
    process.env = own;
  }
}
