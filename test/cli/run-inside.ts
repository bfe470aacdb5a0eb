import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runLine } from '../../lib/cli/run-line.ts';
import { Terminal } from '../../lib/cli/terminal.ts';
import type { Around, Finished } from './run-wl.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `wl` in this process: takes a tenth of the time, for tests of what a command does rather than of pipes, signals or exits.
 * One line at a time, as each sets the process's variables, stdin and current folder.
 */
export function wlInside(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  around: Around = {},
): Promise<Finished> {
  const finished = last.then(() => run(args, env, around));
  last = finished.catch(() => undefined);
  return finished;
}

/** Runs `wlInside` on a data folder with --json and returns what it prints. Throws when it fails. */
export async function wlJson(folder: string, args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await wlInside([...args, '--json', '--data', folder]);
  if (code !== 0) throw new Error(`wl ${args.join(' ')}: exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { input = '', cwd }: Around,
): Promise<Finished> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(stdout), text(stderr)]);
  const [own, folder, stdin] = [process.env, process.cwd(), Object.getOwnPropertyDescriptor(process, 'stdin')];
  process.env = { PATH: own['PATH'], TMPDIR: own['TMPDIR'], HOME: '/nonexistent', ...env };
  if (cwd !== undefined) process.chdir(cwd);
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  try {
    const code = await runLine(args, new Terminal(stdout, stderr));
    stdout.end();
    stderr.end();
    const [data, diagnostics] = await written;
    return { code, stdout: data, stderr: diagnostics };
  } finally {
    process.env = own;
    process.chdir(folder);
    if (stdin !== undefined) Object.defineProperty(process, 'stdin', stdin);
  }
}
