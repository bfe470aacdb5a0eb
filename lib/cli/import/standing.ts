/** How far imports have come, in a file each below the user's folder: one that is killed goes on where it was. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';
import { userFile } from '../client/config-file.ts';

/** Milliseconds between two writes. */
const EVERY = 1_000;

interface Import {
  readonly id: string;
  /** The address of the server, and the key. */
  readonly host: string;
  readonly key: string;
  /** Hashes of the files, in their order. */
  readonly digests: readonly string[];
}

export class ImportProgress {
  readonly #path: string;
  readonly #say: (text: string) => void;
  #written = performance.now();
  #isBroken = false;

  /** @param say Hears once if nothing can be kept. */
  constructor({ id, host, key, digests }: Import, say: (text: string) => void) {
    const name = createHash('sha256')
      .update(JSON.stringify([id, host, key, digests]))
      .digest('hex')
      .slice(0, 32);
    this.#path = join(dirname(userFile(process.env)), 'imports', `${name}.json`);
    this.#say = say;
  }

  /** Records that an earlier run has sent; 0: there was none, or it came to its end. */
  read(): number {
    try {
      const kept = readJson(readFileSync(this.#path, 'utf8'));
      const records = isRecord(kept) ? kept['records'] : null;
      return typeof records === 'number' && Number.isSafeInteger(records) && records > 0 ? records : 0;
    } catch (error) {
      if (error instanceof SyntaxError || ['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return 0;
      this.#lose(error);
      return 0;
    }
  }

  /** Keeps the number now and then, or at once; 0 says no more than no file. */
  keep(records: number, isNow = false): void {
    const now = performance.now();
    if (this.#isBroken || records === 0 || (!isNow && now - this.#written < EVERY)) return;
    this.#written = now;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#path}.new`, JSON.stringify({ records }), { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
    } catch (error) {
      this.#lose(error);
    }
  }

  /** The import is at its end, or begins again. */
  forget(): void {
    rmSync(this.#path, { force: true });
  }

  #lose(error: unknown): void {
    this.#isBroken = true;
    this.#say(
      `where it stands cannot be kept (${messageOf(error)}): if it is ended, it begins again, and stores nothing twice`,
    );
  }
}
