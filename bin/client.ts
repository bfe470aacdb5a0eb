/** Runs the command line of this process. Also the entry of the bundle of the client commands: no `await` at the top. */
import { runLine } from '../lib/cli/run-line.ts';
import { Terminal } from '../lib/cli/terminal.ts';

runLine(process.argv.slice(2), new Terminal(process.stdout, process.stderr)).then(
  // Not process.exit: what is written must get out first.
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    throw error;
  },
);
