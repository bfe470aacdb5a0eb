/** Runs a generated loop over spans of rows, in blocks with a look at the clock between them. */
import { blocksOf } from '../groups/select.ts';
import type { Span } from '../groups/positions.ts';
import { loopOf, type LoopArray, type LoopInputs } from '../loops/generate.ts';
import type { RowContext } from '../query-context.ts';

export interface SpanLoop {
  readonly body: string;
  readonly inputs: LoopInputs;
  readonly out: LoopArray;
  /** The rows that spans are places of; null: spans are of rows themselves. */
  readonly list: Uint32Array | null;
  /** The numbers that the body knows as `a` and `b`. `counted`: what the loop has counted so far. */
  readonly numbers: (span: Span, counted: number) => { readonly a: number; readonly b: number };
}

/** What the loop counted (`n`) in all spans. */
export function runLoop(
  spans: readonly Span[],
  { body, inputs, out, list, numbers }: SpanLoop,
  context: RowContext,
): number {
  const loop = loopOf(body, inputs, list !== null);
  let counted = 0;
  for (const span of spans) {
    for (const block of blocksOf(span.from, span.to)) {
      context.checkpoint();
      counted += loop(out, inputs.arrays, list, { ...block, ...numbers(span, counted) });
    }
  }
  return counted;
}
