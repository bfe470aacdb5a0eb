import { Terminal } from './terminal.ts';

/** Runs the command line of this process, and leaves with the exit code that `run` returns. */
export function runProcess(run: (args: readonly string[], terminal: Terminal) => Promise<number>): void {
  run(process.argv.slice(2), new Terminal(process.stdout, process.stderr)).then(
    // Not process.exit, which could cut off the output.
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      throw error;
    },
  );
}
