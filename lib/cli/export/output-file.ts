/**
 * The file that an export goes to. Beside it, FILE.cursor says how far it has come, so that the same command goes on there after
 * whatever ended it: bytes behind that are of a page that was not written whole.
 */
import fs from 'node:fs';
import { openedFile } from '../../base/files/opened-file.ts';
import { writeAll } from '../../base/files/write-all.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';
import { ClientError } from '../client/client-error.ts';

interface Standing {
  /** What is exported, to whom it may go on. */
  readonly of: string;
  /** null: from the beginning. */
  readonly cursor: string | null;
  readonly bytes: number;
  readonly rows: number;
}

/** Bytes of a file FILE.cursor that this program wrote; a larger one is something else. */
const MOST_STANDING = 65_536;

export class OutputFile implements Disposable {
  readonly path: string;
  readonly #fd: ReturnType<typeof openedFile>;
  #standing: Standing;
  /** Where the next page is written. */
  #end: number;

  /** Goes on where an earlier run ended, or begins. Throws ClientError for a file that is there and of something else. */
  constructor(path: string, of: string) {
    this.path = path;
    const earlier = standingIn(`${path}.cursor`);
    if (earlier === null && fs.existsSync(path)) {
      throw new ClientError(`${path} is there already.`, ['Remove it, or name another file with --output.']);
    }
    if (earlier !== null && earlier.of !== of) {
      throw new ClientError(`${path} is unfinished, and of an export with other options.`, [
        `Repeat the options that began it, or remove ${path} and ${path}.cursor.`,
      ]);
    }
    this.#standing = earlier ?? { of, cursor: null, bytes: 0, rows: 0 };
    this.#fd = openedFile(path, earlier === null ? 'wx' : 'r+', 0o600);
    this.#end = this.#standing.bytes;
    fs.ftruncateSync(this.#fd.fd, this.#end);
    this.#note(this.#standing);
  }

  get cursor(): string | null {
    return this.#standing.cursor;
  }

  /** Of all runs. */
  get rows(): number {
    return this.#standing.rows;
  }

  /** Appends a page. @param cursor With which a later run goes on behind it; null: it has to begin again. */
  write(bytes: Buffer, { cursor, rows }: Pick<Standing, 'cursor' | 'rows'>): void {
    writeAll(this.#fd.fd, [bytes], this.#end);
    this.#end += bytes.length;
    if (cursor === null) return;
    const { of, rows: earlier } = this.#standing;
    this.#note({ of, cursor, bytes: this.#end, rows: earlier + rows });
  }

  /** It is whole. */
  end(): void {
    fs.fsyncSync(this.#fd.fd);
    fs.rmSync(`${this.path}.cursor`);
  }

  /** Returns whether a later run goes on with it; else it is removed. */
  leave(): boolean {
    if (this.cursor !== null) return true;
    fs.rmSync(this.path);
    fs.rmSync(`${this.path}.cursor`);
    return false;
  }

  [Symbol.dispose](): void {
    this.#fd[Symbol.dispose]();
  }

  /** At once or not at all. */
  #note(standing: Standing): void {
    this.#standing = standing;
    fs.writeFileSync(`${this.path}.cursor.new`, JSON.stringify(standing), { mode: 0o600 });
    fs.renameSync(`${this.path}.cursor.new`, `${this.path}.cursor`);
  }
}

/** null: there is none. */
function standingIn(path: string): Standing | null {
  if (!fs.existsSync(path)) return null;
  const told: unknown = fs.statSync(path).size > MOST_STANDING ? null : readJson(fs.readFileSync(path, 'utf8'));
  const { of, cursor, bytes, rows } = isRecord(told) ? told : {};
  const isWhole = typeof bytes === 'number' && typeof rows === 'number';
  if (isWhole && typeof of === 'string' && (cursor === null || typeof cursor === 'string'))
    return { of, cursor, bytes, rows };
  throw new ClientError(`${path} does not say how far an export has come.`, [
    'Remove it, and the file that it stands beside.',
  ]);
}
