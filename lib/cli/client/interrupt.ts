import { Interrupted } from './client-error.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs a command that Ctrl-C ends cleanly: `signal` is aborted with `Interrupted`, and current writes finish. A second signal
 * ends the process at once.
 */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const reason = new Interrupted(signal === 'SIGTERM' ? signal : 'SIGINT');
    if (controller.signal.aborted) process.exit(reason.exitCode);
    controller.abort(reason);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
