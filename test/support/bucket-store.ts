/** An in-memory S3-compatible store on loopback with one bucket: checks signatures and sums itself, and fails when told to. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback, type Listening } from './listening.ts';

export const BUCKET = 'backups';
export const KEY = { id: 'AKIATEST', secret: 'a secret that nobody must see' };
const REGION = 'eu-test-1';
/** How far a request's time may differ from the store's. Milliseconds. */
const SKEW = 15 * 60_000;

export interface StoredObject {
  body: Buffer;
  /** When it was written: milliseconds since the epoch. */
  at: number;
}

/**
 * A status and a code to refuse with; `cut`: the connection ends midway; `hang`: no answer ever comes; `flood`: far too much;
 * `says`: with 200 and these bytes; `lost`: the request is served, and its answer gets lost.
 */
export type Trouble =
  readonly [status: number, code: string] | 'cut' | 'hang' | 'flood' | 'lost' | { readonly says: string } | null;

export class BucketStore {
  readonly objects = new Map<string, StoredObject>();
  /** `GET files/…` and so on, in order. */
  readonly asked: string[] = [];
  /** Called for each accepted request. */
  trouble: (ask: string) => Trouble = () => null;
  /** Milliseconds by which the store's clock is ahead. */
  ahead = 0;
  /** Keys per page of a list. */
  pageKeys = 1_000;
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  #listening: Listening | null = null;

  async start(): Promise<void> {
    this.#listening = await listenOnLoopback(() => (request, response) => void this.#answer(request, response));
  }

  async stop(): Promise<void> {
    await this.#listening?.stop();
  }

  get url(): string {
    return this.#listening?.url ?? '';
  }

  /** Multipart uploads neither completed nor aborted. */
  get unfinished(): number {
    return this.#uploads.size;
  }

  /** Settings for this store. */
  get settings(): Readonly<Record<string, string>> {
    return {
      WINDLASS_BACKUP_S3_ENDPOINT: this.url,
      WINDLASS_BACKUP_S3_REGION: REGION,
      WINDLASS_BACKUP_S3_KEY: KEY.id,
      WINDLASS_BACKUP_S3_SECRET: KEY.secret,
    };
  }

  get access(): { endpoint: string; region: string; key: string; secret: string } {
    return { endpoint: this.url, region: REGION, key: KEY.id, secret: KEY.secret };
  }

  keys(prefix: string): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const url = new URL(request.url ?? '/', 'http://store');
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const method = request.method ?? '';
    const ask = `${method} ${key}${url.search}`;
    this.asked.push(ask);
    const refused = this.#refusal(request, body) ?? (bucket === BUCKET ? null : ([404, 'NoSuchBucket'] as const));
    const trouble = refused ?? this.trouble(ask);
    if (trouble === 'hang') return;
    if (trouble === 'flood') return void response.end(Buffer.alloc(9 * 2 ** 20));
    if (trouble === 'cut') {
      response.writeHead(200, { 'content-length': 1_000 }).write('half of ');
      setImmediate(() => request.socket.destroy());
      return;
    }
    if (trouble === 'lost') request.socket.destroy();
    else if (trouble !== null) return 'says' in trouble ? void response.end(trouble.says) : refuse(response, trouble);
    this.#serve({ method, key, query: url.searchParams, body, range: request.headers.range }, response);
  }

  #serve({ method, key, query, body, range }: Asked, response: ServerResponse): void {
    const uploadId = query.get('uploadId');
    if (method === 'GET' && query.get('list-type') === '2') return this.#list(query, response);
    if (method === 'POST' && query.has('uploads')) return this.#begin(response);
    if (uploadId !== null) return this.#piece({ method, key, query, body }, uploadId, response);
    const found = this.objects.get(key);
    if (method === 'PUT') {
      this.objects.set(key, { body, at: Date.now() });
      response.writeHead(200, { etag: '"whatever"' }).end();
    } else if (method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (found === undefined) refuse(response, [404, 'NoSuchKey']);
    else sendRange(found.body, range, response);
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const after = query.get('continuation-token') ?? '';
    const left = this.keys(query.get('prefix') ?? '').filter((key) => key > after);
    const page = left.slice(0, this.pageKeys);
    const entries = page.map((key) => {
      const { body, at } = this.objects.get(key)!;
      return `<Contents><Key>${key}</Key><LastModified>${new Date(at).toISOString()}</LastModified><Size>${body.length}</Size></Contents>`;
    });
    const more = left.length > page.length;
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    response.end(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`);
  }

  #begin(response: ServerResponse): void {
    const id = randomUUID();
    this.#uploads.set(id, new Map());
    response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }

  #piece({ method, key, query, body }: Omit<Asked, 'range'>, id: string, response: ServerResponse): void {
    const pieces = this.#uploads.get(id);
    if (pieces === undefined) return refuse(response, [404, 'NoSuchUpload']);
    if (method === 'PUT') {
      pieces.set(Number(query.get('partNumber')), body);
      response.writeHead(200, { etag: etagOf(body) }).end();
      return;
    }
    this.#uploads.delete(id);
    if (method === 'DELETE') return void response.writeHead(204).end();
    const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const parts = wanted.map(([, number, etag]) => {
      const piece = pieces.get(Number(number));
      return piece !== undefined && etagOf(piece) === etag ? piece : null;
    });
    if (parts.includes(null)) return refuse(response, [400, 'InvalidPart']);
    this.objects.set(key, { body: Buffer.concat(parts.filter((part) => part !== null)), at: Date.now() });
    response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  }

  /** Checks Signature Version 4 as specified; null: it is valid. */
  #refusal(request: IncomingMessage, body: Buffer): readonly [number, string] | null {
    const header = (name: string): string => String(request.headers[name] ?? '');
    const [, id, day, scope, names = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]+)$/.exec(
        header('authorization'),
      ) ?? [];
    if (id !== KEY.id) return [403, 'InvalidAccessKeyId'];
    if (scope !== `${REGION}/s3/aws4_request`) return [400, 'AuthorizationHeaderMalformed'];
    const date = header('x-amz-date');
    const time = Date.parse(date.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
    if (Math.abs(Date.now() + this.ahead - time) > SKEW) return [403, 'RequestTimeTooSkewed'];
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const pairs = query.split('&').filter((pair) => pair !== '');
    const canonical = [
      ...[
        request.method,
        path,
        pairs
          .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
          .sort()
          .join('&'),
      ],
      ...names.split(';').map((name) => `${name}:${header(name).trim()}`),
      ...['', names, header('x-amz-content-sha256')],
    ].join('\n');
    const text = ['AWS4-HMAC-SHA256', date, `${day}/${scope}`, sha256(canonical)].join('\n');
    const key = [day!, REGION, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${KEY.secret}`);
    if (hmac(key, text).toString('hex') !== signature) return [403, 'SignatureDoesNotMatch'];
    return sha256(body) === header('x-amz-content-sha256') ? null : [400, 'XAmzContentSHA256Mismatch'];
  }
}

interface Asked {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly range: string | undefined;
}

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const etagOf = (body: Buffer): string => `"${sha256(body).slice(0, 32)}"`;

function sendRange(body: Buffer, range: string | undefined, response: ServerResponse): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (from === undefined) return void response.end(body);
  if (Number(from) >= body.length) return refuse(response, [416, 'InvalidRange']);
  response.writeHead(206).end(body.subarray(Number(from), Number(to) + 1));
}

function refuse(response: ServerResponse, [status, code]: readonly [number, string]): void {
  const key = `<AWSAccessKeyId>${KEY.id}</AWSAccessKeyId>`;
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>about ${KEY.id}</Message>${key}</Error>`);
}
