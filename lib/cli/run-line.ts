import type { Terminal } from './terminal.ts';

/** Runs one command line, or what a shell asks for one that is being typed. Loads no more than it needs. Answers the exit code. */
export async function runLine(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    return complete(args.slice(1), terminal);
  }
  const { main } = await import('./main.ts');
  return main(args, terminal);
}
