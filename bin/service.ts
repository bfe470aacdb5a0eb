/** `wl serve` and `wl admin`, the entry of their bundle. */
import { Terminal } from '../lib/cli/terminal.ts';

const args = process.argv.slice(2);
const terminal = new Terminal(process.stdout, process.stderr);

run().then(
  // Not process.exit, which could cut off the output.
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    throw error;
  },
);

async function run(): Promise<number> {
  if (args.length === 1 && args[0] === 'serve') {
    const { serveByEnvironment } = await import('../lib/cli/run-service.ts');
    return serveByEnvironment(terminal);
  }
  const { runLine } = await import('../lib/cli/run-line.ts');
  return runLine(args, terminal);
}
