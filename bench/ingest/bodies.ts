/** Requests and texts for the ingest measurement, made before the clock starts. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The first `count` lines of an ASCII file, without their newlines. */
export async function firstLines(file: string, count: number): Promise<string[]> {
  const lines: string[] = [];
  const stream = createReadStream(file, { encoding: 'latin1', highWaterMark: 1 << 20 });
  for await (const line of createInterface({ input: stream })) {
    if (lines.length >= count) break;
    lines.push(line);
  }
  stream.destroy();
  return lines;
}

/** Bodies of POST /track with `size` events each (the last may have fewer). */
export function batchBodies(lines: readonly string[], size: number): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < lines.length; at += size) {
    bodies.push(Buffer.from(`{"events":[${lines.slice(at, at + size).join(',')}]}`, 'latin1'));
  }
  return bodies;
}
