/**
 * Writes the bench's data set: events for bulk POST /track and bindings for bulk POST /identify.
 *
 *   node dist/bench/generate.js --events 1000000 --seed 1 --bindings bindings.ndjson > events.ndjson
 *
 * 90 days from Monday 2024-01-01 UTC without seasons. Sessions of about 8 events; three in four have a user; 30 event types,
 * page_view 40 %, signup 2 %, activate 1.2 %, purchase 1 %; event_properties browser, country, plan (of the session), path
 * (5,000, skewed), amount on purchases, duration_ms on one event in ten. The same seed gives the same bytes.
 */
import { closeSync, openSync, realpathSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bindingLines, eventLines, type DatasetOptions } from './dataset/lines.ts';

export const DATASET_DEFAULTS = { seed: 1, late: 0.02, duplicates: 0.006 } as const;

const CHUNK = 1 << 20; // characters, all ASCII

/** Writes lines to a file descriptor; returns their number. */
export function writeLines(lines: Iterable<string>, descriptor: number): number {
  let count = 0;
  let chunk = '';
  const flush = (): void => {
    const bytes = Buffer.from(chunk, 'latin1');
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    chunk = '';
  };
  for (const line of lines) {
    chunk += line;
    count++;
    if (chunk.length >= CHUNK) flush();
  }
  flush();
  return count;
}

/** Writes both files; returns the number of lines of each. */
export function writeDataset(
  options: DatasetOptions,
  files: { readonly events: string; readonly bindings: string },
): { events: number; bindings: number } {
  const write = (lines: Iterable<string>, file: string): number => {
    const descriptor = openSync(file, 'w');
    try {
      return writeLines(lines, descriptor);
    } finally {
      closeSync(descriptor);
    }
  };
  return { events: write(eventLines(options), files.events), bindings: write(bindingLines(options), files.bindings) };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: String(DATASET_DEFAULTS.seed) },
      late: { type: 'string', default: String(DATASET_DEFAULTS.late) },
      duplicates: { type: 'string', default: String(DATASET_DEFAULTS.duplicates) },
      out: { type: 'string' },
      bindings: { type: 'string' },
    },
  });
  const options: DatasetOptions = {
    events: Number(values.events),
    seed: Number(values.seed),
    late: Number(values.late),
    duplicates: Number(values.duplicates),
  };
  if (!Number.isInteger(options.events) || options.events < 1)
    throw new Error('--events must be a whole number of at least 1');
  const begun = performance.now();
  const lines = writeLines(eventLines(options), values.out === undefined ? 1 : openSync(values.out, 'w'));
  if (values.bindings !== undefined) writeLines(bindingLines(options), openSync(values.bindings, 'w'));
  console.error(`${lines} lines of ${options.events} events in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) main();
