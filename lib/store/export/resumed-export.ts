import { ExportInterrupted, exportPieces } from './export-pieces.ts';
import type { Reading } from '../readings.ts';
import type { ExportPosition } from './user-export.ts';

/** What an export reads: a snapshot kept until `unpin`, unless `interruption` asks for it back. */
type ExportReading = Pick<Reading, 'source' | 'interruption' | 'unpin'>;

const NO_EVENT: ExportPosition = { time: -Infinity, arrival: -Infinity };

/**
 * The lines of a user's export. An erasure, even of another user, interrupts it: it then waits and continues in the new file,
 * after the last event sent. `read` returns what there is now, `done` is called when it is no longer read.
 */
export async function* resumedExport<R extends ExportReading>(
  userId: string,
  { read, done }: { readonly read: () => Promise<R>; readonly done: (reading: R) => void },
): AsyncGenerator<Uint8Array> {
  for (let after: ExportPosition | null = null; ;) {
    const reading = await read();
    const { source: snapshot, interruption, unpin } = reading;
    try {
      for await (const { bytes, last } of exportPieces(
        { snapshot, userId, after },
        { signal: interruption, onGone: unpin },
      )) {
        after = last ?? NO_EVENT;
        yield bytes;
      }
      return;
    } catch (error) {
      if (!(error instanceof ExportInterrupted)) throw error;
    } finally {
      done(reading);
    }
  }
}
