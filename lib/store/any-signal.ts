/** Aborted as soon as one of the two is. */
export function anyOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other ? AbortSignal.any([signal, other]) : signal;
}
