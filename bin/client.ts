/** Runs the command line of this process. Also the entry of the bundle of client commands, so no top-level `await`. */
import { runLine } from '../lib/cli/run-line.ts';
import { Terminal } from '../lib/cli/terminal.ts';

runLine(process.argv.slice(2), new Terminal(process.stdout, process.stderr)).then(
  // Not process.exit, which could cut off the output.
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    throw error;
  },
);
