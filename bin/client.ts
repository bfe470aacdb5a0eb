/** Runs the command line of this process. Also the entry of the bundle of the client commands: no `await` at the top. */
import { Terminal } from '../lib/cli/terminal.ts';

run(process.argv.slice(2)).then(
  // Not process.exit: what is written must get out first.
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    throw error;
  },
);

async function run(args: readonly string[]): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  if (args[0] === '__complete') {
    const { complete } = await import('../lib/cli/completion/complete.ts');
    return complete(args.slice(1), terminal);
  }
  const { main } = await import('../lib/cli/main.ts');
  return main(args, terminal);
}
