/**
 * The salt of the day (UTC), which distinguishes devices that store nothing. Its own file, which no backup includes, is
 * overwritten in place at 00:00: nobody can tell afterwards who was who on an earlier day.
 */
import { randomBytes } from 'node:crypto';
import { constants, fsyncSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openedFile } from '../../base/files/opened-file.ts';
import { makePrivate } from '../../base/files/private-files.ts';
import { writeAll } from '../../base/files/write-all.ts';
import { DAY_MS, utcDay } from '../../base/day.ts';
import { SECRET_BYTES } from '../key-text.ts';

/** Name of the file in the data folder: a day and 32 random bytes, of constant length. */
export const DAILY_SALT_FILE = 'daily-salt';

const LINE = /^(\d{4}-\d\d-\d\d) ([0-9a-f]{64})\n$/;

export class DailySalt {
  readonly #file: string;
  readonly #now: () => number;
  #day = '';
  #salt: Buffer = Buffer.alloc(SECRET_BYTES);
  #timer: NodeJS.Timeout | undefined;

  /** Keeps the day's salt if there is one. `now`: milliseconds since the epoch. */
  constructor(folder: string, now: () => number = Date.now) {
    this.#file = join(folder, DAILY_SALT_FILE);
    this.#now = now;
    makePrivate(this.#file);
    const [, day, salt] = LINE.exec(readFileSync(this.#file, 'latin1')) ?? [];
    if (day === this.#today() && salt !== undefined) {
      this.#day = day;
      this.#salt = Buffer.from(salt, 'hex');
    } else this.#renew();
    this.#schedule();
  }

  /** Today's. */
  get salt(): Uint8Array {
    if (this.#day !== this.#today()) this.#renew(); // the timer is late, or the clock was set
    return this.#salt;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#salt.fill(0);
  }

  #today(): string {
    return utcDay(this.#now());
  }

  #renew(): void {
    this.#salt.fill(0);
    this.#salt = randomBytes(SECRET_BYTES);
    this.#day = this.#today();
    // Not a new file by rename: the old one's bytes would stay on the disk.
    using file = openedFile(this.#file, constants.O_WRONLY);
    writeAll(file.fd, [Buffer.from(`${this.#day} ${this.#salt.toString('hex')}\n`, 'latin1')], 0);
    fsyncSync(file.fd);
  }

  #schedule(): void {
    const untilMidnight = DAY_MS - (this.#now() % DAY_MS);
    this.#timer = setTimeout(() => {
      if (this.#day !== this.#today()) this.#renew();
      this.#schedule();
    }, untilMidnight + 1).unref();
  }
}
