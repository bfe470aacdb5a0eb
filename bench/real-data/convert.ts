/** Converts files of records (one JSON object per line, gzipped or not) to lines for bulk POST /track on stdout. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** An event as POST /track takes it. */
export interface TrackEvent {
  readonly event_type: string;
  readonly user_id?: string;
  readonly device_id?: string;
  readonly time: string;
  readonly insert_id?: string;
  readonly event_properties: Readonly<Record<string, unknown>>;
}

/** Reads the files named on the command line and writes an event per record. Throws when a file cannot be read. */
export async function convertFiles<Source>(toEvent: (record: Source) => TrackEvent): Promise<void> {
  const files = process.argv.slice(2);
  if (files.length === 0) throw new Error('name the files to read');
  for (const file of files) {
    const raw = createReadStream(file);
    const text = file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
    for await (const line of createInterface({ input: text, crlfDelay: Infinity })) {
      if (line === '') continue;
      const record: Source = JSON.parse(line);
      if (!process.stdout.write(`${JSON.stringify(toEvent(record))}\n`))
        await new Promise((go) => process.stdout.once('drain', go));
    }
  }
}
