/** `wl serve` and `wl admin`, the entry of their bundle. */
import { runProcess } from '../lib/cli/run-line.ts';

runProcess(async (args, terminal) => {
  if (args.length === 1 && args[0] === 'serve') {
    const { serveByEnvironment } = await import('../lib/cli/run-service.ts');
    return serveByEnvironment(terminal);
  }
  const { runLine } = await import('../lib/cli/run-line.ts');
  return runLine(args, terminal);
});
