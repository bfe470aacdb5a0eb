/** Answers that are as long as what they are made of: made piece by piece, as fast as the client reads. */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';

interface Pieces<T> {
  /** Made before anything is sent: its failure is an error answer. */
  readonly first: IteratorResult<T>;
  readonly rest: AsyncIterator<T>;
  /** Runs again after so many milliseconds, as slow readers take long; if it rejects, the answer breaks off. */
  readonly admit: { readonly every: number; readonly again: () => Promise<unknown> };
}

/**
 * Answers 200. A failure after the first piece breaks the connection off, so that nobody takes a part for the whole. A client that
 * leaves, or reads nothing for a minute, ends the making.
 */
export async function sendStream(response: ServerResponse, type: string, pieces: Pieces<Uint8Array>): Promise<void> {
  response.writeHead(200, { 'Content-Type': type });
  response.setTimeout(60_000); // the server closes the connection then, unless it is the service that is slow
  try {
    await pipeline(inTurn(pieces), response);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function* inTurn<T>({ first, rest, admit }: Pieces<T>): AsyncGenerator<T> {
  let admitted = monotonic();
  try {
    for (let step = first; step.done !== true; step = await rest.next()) {
      if (monotonic() - admitted >= admit.every) {
        await admit.again();
        admitted = monotonic();
      }
      yield step.value;
    }
  } finally {
    await rest.return?.();
  }
}

/** The client left, or was cut off. */
const isGone = (error: unknown): boolean => codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE';
