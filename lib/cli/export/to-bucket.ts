/**
 * Exports to a bucket, run after run. The name of each object has the cursor with which the next one goes on, so the bucket itself
 * says how far the runs before have come: events are in order of arrival, and each is in one object, however late it came.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { utcDay } from '../../base/day.ts';
import { openedFile } from '../../base/files/opened-file.ts';
import { readConfig } from '../../base/config/config.ts';
import { bucketAccess } from '../../buckets/access.ts';
import { openBucket, type Bucket } from '../../buckets/bucket.ts';
import { ClientError } from '../client/client-error.ts';
import type { ExportPage } from './export-pages.ts';
import type { PageWriter } from './page-writer.ts';

/** Rows, and bytes, of an object: what is sent again if a run is ended. */
const MOST_ROWS = 1_000_000;
const MOST_BYTES = 256 << 20;

/** `000012-2026-11-28-aF3x….ndjson.gz`: its number, the day of its run, its cursor. */
const NAME = /^(\d{6,9})-\d{4}-\d\d-\d\d-(a[\w-]+)\.(.+)$/;

export interface LastObject {
  /** Its number; 0: there is none. */
  readonly nth: number;
  /** null: from the first event on. */
  readonly cursor: string | null;
}

/** As the backups of the service have it: by the settings WINDLASS_BACKUP_S3_…. */
export function bucketAt(location: string): Bucket {
  const settings = Object.entries(process.env).filter(([name]) => name.startsWith('WINDLASS_BACKUP_S3_'));
  return openBucket(location, bucketAccess(readConfig(Object.fromEntries(settings))));
}

/** The object of the last run. Throws ClientError where objects do not follow each other, or have another ending. */
export async function lastObject(bucket: Bucket, ending: string): Promise<LastObject> {
  const listed = await bucket.list('');
  const found = listed.flatMap(({ key }) => {
    const [, nth, cursor = null, own] = NAME.exec(key) ?? [];
    return nth === undefined ? [] : [{ key, nth: Number(nth), cursor, own }];
  });
  found.sort((a, b) => a.nth - b.nth);
  for (const [at, { key, nth, own }] of found.entries()) {
    if (own !== ending)
      throw new ClientError(`${bucket.name} has ${key}, which is no ${ending}.`, [
        'Use another prefix for each format.',
      ]);
    if (nth === at + 1) continue;
    throw new ClientError(`The objects in ${bucket.name} do not follow each other: ${key} is number ${at + 1}.`, [
      'Two exports ran at once, or an object was removed. Begin with another prefix, which then has all events once.',
    ]);
  }
  return found.at(-1) ?? { nth: 0, cursor: null };
}

/** Sends the pages as objects behind the last one. Returns how many rows and objects. */
export async function sendObjects(
  {
    bucket,
    last,
    ending,
    writer,
  }: { readonly bucket: Bucket; readonly last: LastObject; readonly ending: string; readonly writer: () => PageWriter },
  pages: AsyncIterable<ExportPage>,
  sent: (rows: number) => void,
): Promise<{ readonly rows: number; readonly objects: number }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-export-'));
  const total = { rows: 0, objects: 0 };
  const file = path.join(folder, 'object');
  const send = async (object: Draft): Promise<void> => {
    object.end();
    const nth = String(last.nth + total.objects + 1).padStart(6, '0');
    await bucket.put(`${nth}-${utcDay(Date.now())}-${object.cursor}.${ending}`, file);
    total.objects++;
  };
  let draft: Draft | null = null;
  try {
    for await (const page of pages) {
      if (page.rows > 0) {
        draft ??= new Draft(file, writer());
        draft.add(page);
        total.rows += page.rows;
        sent(total.rows);
      }
      if (draft === null || !(page.isLast || draft.rows >= MOST_ROWS || draft.bytes >= MOST_BYTES)) continue;
      const whole = draft;
      draft = null;
      await send(whole);
    }
    return total;
  } finally {
    draft?.[Symbol.dispose]();
    fs.rmSync(folder, { recursive: true });
  }
}

/** An object that is being made. */
class Draft implements Disposable {
  readonly #file: ReturnType<typeof openedFile>;
  readonly #writer: PageWriter;
  rows = 0;
  bytes = 0;
  cursor = '';

  constructor(path: string, writer: PageWriter) {
    this.#file = openedFile(path, 'w', 0o600);
    this.#writer = writer;
  }

  add(page: ExportPage): void {
    this.#append(this.#writer.add(page));
    this.rows += page.rows;
    this.cursor = page.cursor;
  }

  end(): void {
    this.#append(this.#writer.end());
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  #append(bytes: Buffer): void {
    fs.writeFileSync(this.#file.fd, bytes);
    this.bytes += bytes.length;
  }
}
