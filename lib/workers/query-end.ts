/** How a query ends without an answer. */
import { AppError } from '../base/errors.ts';
import { monotonic } from '../base/monotonic.ts';

/** Rejects at the deadline, or when one of the signals is aborted. */
export function endOf(
  deadline: number,
  signals: readonly (AbortSignal | undefined)[] = [],
): { readonly promise: Promise<never>; clear(): void } {
  let end: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, reject) => (end = reject));
  const timer = setTimeout(() => end(timeout()), Math.max(0, deadline - monotonic()));
  const cancel = (): void => end(new AppError('overloaded', 'the query was canceled; try again'));
  for (const signal of signals) {
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  }
  return {
    promise,
    clear() {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', cancel);
    },
  };
}

export function timeout(): AppError {
  return new AppError(
    'query_timeout',
    'the query took too long; narrow the range, or group by fewer or coarser values',
    {
      hints: ['narrow the range', 'filter with where'],
    },
  );
}
