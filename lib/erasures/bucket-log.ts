/**
 * The log of erasures in a bucket. Objects cannot be appended to: each addition is an object of its own below `erasures/`, and
 * together they are the log. Concurrent writers lose no lines, as nobody overwrites another's object; a merge of many is written
 * before they are removed.
 */
import { randomUUID } from 'node:crypto';
import type { Bucket } from '../buckets/bucket.ts';
import { readObject } from '../buckets/object-store.ts';
import type { LogBytes } from './log-bytes.ts';
import { bytesOfLines, readBytes, unionOf, type LogCopy, type ReadLog } from './log-file.ts';

const FOLDER = 'erasures/';

export class BucketLog implements LogCopy {
  readonly #bucket: Bucket;
  /** Bytes of the log that the bucket has, and in how many objects; null: unknown. */
  #seen: { readonly has: number; readonly objects: number } | null = null;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** Resolves once the store has every line of a log. */
  async bring(log: LogBytes): Promise<void> {
    const seen = this.#seen;
    this.#seen = null; // in case it fails
    // Additions before they are merged into one object.
    if (seen === null || seen.has > log.length || seen.objects >= 64) {
      await this.#merge(readBytes(log.subarray(0)));
      this.#seen = { has: log.length, objects: 1 };
      return;
    }
    if (log.length > seen.has) await this.#add(log.subarray(seen.has));
    this.#seen = { has: log.length, objects: seen.objects + 1 };
  }

  async read(): Promise<ReadLog> {
    return (await this.#objects()).log;
  }

  async #merge(own: ReadLog): Promise<void> {
    const { log, keys } = await this.#objects();
    const known = new Set(log.lines);
    if (keys.length <= 1 && own.lines.every((line) => known.has(line))) return;
    const { lines } = unionOf([log, own]);
    await this.#add(bytesOfLines(lines));
    if (log.damaged > 0) return; // so that they can still be repaired
    for (const key of keys) await this.#bucket.remove(key);
  }

  #add(lines: Buffer): Promise<void> {
    const time = new Date().toISOString().replace(/[:.]/g, '-');
    return this.#bucket.write(`${FOLDER}${time}-${randomUUID()}.log`, Buffer.from(lines));
  }

  async #objects(): Promise<{ readonly log: ReadLog; readonly keys: readonly string[] }> {
    for (let attempt = 1; ; attempt++) {
      const listed = await this.#bucket.list(FOLDER);
      const logs: ReadLog[] = [];
      for (const each of listed) {
        const text = await readObject(this.#bucket, each);
        if (text !== null) logs.push(readBytes(text));
      }
      if (logs.length === listed.length) return { log: unionOf(logs), keys: listed.map(({ key }) => key) };
      // Attempts to read the log while another process merges and removes objects.
      if (attempt === 3) throw new Error(`the log of erasures at ${this.#bucket.name} changes while it is read`);
    }
  }
}
