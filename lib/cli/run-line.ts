import { Terminal } from './terminal.ts';

/** Runs one command line, or answers a shell's completion request. Loads only what it needs. Returns the exit code. */
export async function runLine(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    return complete(args.slice(1), terminal);
  }
  const { main } = await import('./main.ts');
  return main(args, terminal);
}

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
