import type { Snapshot } from '../../shards/shard-reader.ts';
import { ExportInterrupted, exportPieces } from './export-pieces.ts';
import type { ExportPosition } from './user-export.ts';

/** What an export reads: a snapshot that is kept until `unpin`, unless the interruption wants it back. */
interface Readable {
  readonly snapshot: Snapshot;
  readonly interruption: AbortSignal;
  readonly unpin: () => void;
}

const NO_EVENT: ExportPosition = { time: -Infinity, arrival: -Infinity };

/**
 * The lines of a user's export. An erasure interrupts it, even one of another user: it then waits and goes on in the new file,
 * behind the last event that it has sent. `read` gives what is there now, `done` is told when it is not read any more.
 */
export async function* resumedExport<R extends Readable>(
  userId: string,
  { read, done }: { readonly read: () => Promise<R>; readonly done: (reading: R) => void },
): AsyncGenerator<Uint8Array> {
  for (let after: ExportPosition | null = null; ;) {
    const reading = await read();
    const { snapshot, interruption, unpin } = reading;
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
