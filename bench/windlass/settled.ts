/** Waits until the service has nothing left to do in the background. */
import { folderBytes } from '../folder.ts';
import type { WindlassServer } from './server.ts';

const QUIET_SECONDS = 3;
const LONGEST_SECONDS = 600;

/** Seconds until neither files nor counters of seals and compactions changed any more. */
export async function settled(server: WindlassServer): Promise<number> {
  const begun = performance.now();
  let before = '';
  let quietSince = begun;
  for (;;) {
    const now = performance.now();
    const state = `${folderBytes(server.folder)} ${counters(await server.metrics())}`;
    if (state !== before) quietSince = now;
    before = state;
    if (now - quietSince > QUIET_SECONDS * 1000) return (quietSince - begun) / 1000;
    if (now - begun > LONGEST_SECONDS * 1000)
      throw new Error(`background work did not come to rest in ${LONGEST_SECONDS} s`);
    await new Promise((wait) => setTimeout(wait, 200));
  }
}

function counters(metrics: string): string {
  return metrics
    .split('\n')
    .filter((line) => /^windlass_\w*(seal|compaction)/.test(line))
    .join(' ');
}
