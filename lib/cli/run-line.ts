import type { Terminal } from './terminal.ts';

/** Runs one command line, or answers a shell's completion request. Loads only what it needs. Returns the exit code. */
export async function runLine(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    return complete(args.slice(1), terminal);
  }
  const { main } = await import('./main.ts');
  return main(args, terminal);
}
