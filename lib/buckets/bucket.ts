/** The objects below a prefix of a bucket. A written object is there whole or not at all. */
import fs from 'node:fs';
import { AppError } from '../base/errors.ts';
import { openedFile } from '../base/files/opened-file.ts';
import type { BucketAccess } from './access.ts';
import { BUCKET_FORM, locationText, parseLocation, type BucketLocation } from '../base/bucket-location.ts';
import type { KnownObject, Listed, ObjectStore } from './object-store.ts';
import { between, BucketRequests, PIECE, type BucketAnswer, type Patience } from './request.ts';

/** More objects than a backup target may have: each backup of 10,000 projects has 10,000. */
const MOST_OBJECTS = 1_000_000;
/** Keys as backups write them: `..` means something in a URL, and would lead a request elsewhere. */
const KEY_FORM = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;
const MOST_PIECES = 10_000;

/** Sends no request yet. Throws AppError if the text names no bucket or no key is set. */
export function openBucket(text: string, access: BucketAccess | null, patience?: Patience): Bucket {
  const location = parseLocation(text);
  if (location === null) {
    throw new AppError('bad_request', `${text} names no bucket`, { hints: [`write ${BUCKET_FORM}`] });
  }
  if (access === null) {
    throw new AppError('bad_request', `there is no key for ${text}`, {
      hints: ['set WINDLASS_BACKUP_S3_KEY and WINDLASS_BACKUP_S3_SECRET, or files with them by …_FILE'],
    });
  }
  return new Bucket(access, location, patience);
}

export class Bucket implements ObjectStore {
  /** `s3://bucket/prefix`, for people. */
  readonly name: string;
  readonly #prefix: string;
  readonly #requests: BucketRequests;

  constructor(access: BucketAccess, location: BucketLocation, patience?: Patience) {
    this.name = locationText(location);
    this.#prefix = location.prefix;
    this.#requests = new BucketRequests(access, location.bucket, patience);
  }

  /**
   * All objects whose key begins with `folder`, and is of a form that backups write. Rejects if the store does not say that these
   * are all: pruning would remove what seems to be of no backup.
   */
  async list(folder: string): Promise<readonly Listed[]> {
    const found: Listed[] = [];
    let empty = 0;
    for (let next: string | null = ''; next !== null;) {
      const query = { 'list-type': '2', prefix: this.#prefix + folder };
      const answer = await this.#must({
        method: 'GET',
        key: '',
        query: next === '' ? query : { ...query, 'continuation-token': next },
      });
      const text = answer.body.toString('utf8');
      if (!text.trimEnd().endsWith('</ListBucketResult>')) throw this.#trouble('answers with no list of its objects');
      const entries = text.split('<Contents>').slice(1);
      for (const entry of entries) found.push(this.#listed(entry));
      if (entries.length === 0) empty++;
      if (found.length > MOST_OBJECTS) throw this.#trouble(`has more than ${MOST_OBJECTS} objects`);
      const token = between(text, 'NextContinuationToken');
      const isLast = between(text, 'IsTruncated') !== 'true';
      if (!isLast && (token === '' || token === next || empty > 100))
        // pages of a list without an object
        throw this.#trouble('does not list its objects to the end');
      next = isLast ? null : token;
    }
    return found.filter(({ key }) => key.startsWith(folder) && KEY_FORM.test(key));
  }

  async get({ key, bytes }: KnownObject, take: (piece: Buffer) => void): Promise<boolean> {
    for (let at = 0; at < bytes; at += PIECE) {
      const range = [at, Math.min(at + PIECE, bytes)] as const;
      const answer = await this.#requests.ask({ method: 'GET', key: this.#prefix + key, range });
      if (answer?.body.length !== range[1] - at) return false;
      take(answer.body);
    }
    return true;
  }

  /** Sends a file, with one piece at a time in memory. */
  async put(key: string, file: string): Promise<void> {
    using from = openedFile(file, 'r');
    const { size } = fs.fstatSync(from.fd);
    if (size <= PIECE) await this.write(key, readPiece(from.fd, 0, Buffer.allocUnsafe(size)));
    else await this.#uploadPieces(key, from.fd, size);
  }

  /** The same for what is in memory. */
  async write(key: string, body: Buffer<ArrayBuffer>): Promise<void> {
    await this.#must({ method: 'PUT', key: this.#prefix + key, body });
  }

  /** Does nothing if it is missing. */
  async remove(key: string): Promise<void> {
    await this.#requests.ask({ method: 'DELETE', key: this.#prefix + key });
  }

  async #uploadPieces(name: string, fd: number, size: number): Promise<void> {
    const key = this.#prefix + name;
    const begun = await this.#must({ method: 'POST', key, query: { uploads: '' } });
    const uploadId = between(begun.body.toString('utf8'), 'UploadId');
    if (uploadId === '') throw this.#trouble('does not say how to send a file in pieces');
    try {
      const step = Math.max(PIECE, Math.ceil(size / MOST_PIECES));
      const piece = Buffer.allocUnsafe(step);
      const parts: string[] = [];
      for (let at = 0; at < size; at += step) {
        const query = { partNumber: String(parts.length + 1), uploadId };
        const { headers } = await this.#must({
          method: 'PUT',
          key,
          query,
          body: readPiece(fd, at, piece.subarray(0, size - at)),
        });
        parts.push(
          `<Part><PartNumber>${query.partNumber}</PartNumber><ETag>${headers.get('etag') ?? ''}</ETag></Part>`,
        );
      }
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      const done = await this.#requests.ask({ method: 'POST', key, query: { uploadId }, body });
      // A store that has done so may no longer know the upload when asked again because its first answer was lost.
      if (done === null && (await this.#has(name, size))) return;
      // A store may find an error after it has begun to answer with 200.
      if (done === null || done.body.includes('<Error>'))
        throw this.#trouble('could not put the pieces of a file together');
    } catch (error) {
      await this.#requests.ask({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined); // throws the first error
      throw error;
    }
  }

  async #has(key: string, bytes: number): Promise<boolean> {
    return (await this.list(key)).some((listed) => listed.key === key && listed.bytes === bytes);
  }

  #listed(entry: string): Listed {
    const whole = between(entry, 'Key');
    const key = whole.startsWith(this.#prefix) ? whole.slice(this.#prefix.length) : '';
    return { key, bytes: Number(between(entry, 'Size')), at: Date.parse(between(entry, 'LastModified')) };
  }

  async #must(ask: Parameters<BucketRequests['ask']>[0]): Promise<BucketAnswer> {
    const answer = await this.#requests.ask(ask);
    if (answer === null) throw this.#trouble('answers 404, though it has the bucket');
    return answer;
  }

  #trouble(what: string): AppError {
    return new AppError('storage_unavailable', `${this.name} ${what}`, {
      hints: ['check WINDLASS_BACKUP_S3_ENDPOINT, and what else is in the bucket; earlier backups are unchanged'],
    });
  }
}

/** Fills `piece` from an offset of a file. */
function readPiece(fd: number, at: number, piece: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const read = fs.readSync(fd, piece, 0, piece.length, at);
  if (read !== piece.length)
    throw new Error(`a file became shorter while it was sent: ${read} of ${piece.length} bytes`);
  return piece;
}
