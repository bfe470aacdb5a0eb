/** Files that pages consist of, as answers: with a tag by which browsers ask for what is new alone, compressed once. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Answers with a file, or with 304 if the client has it. */
export async function sendAsset(request: IncomingMessage, response: ServerResponse, asset: Asset): Promise<void> {
  const packing = asset.packs ? packingFor(request) : null;
  const etag = asset.etag(packing);
  const varies = [...(asset.packs ? ['Accept-Encoding'] : []), ...(asset.freshness === 'visitor' ? ['Cookie'] : [])];
  response.setHeader('Cache-Control', CACHE[asset.freshness]);
  response.setHeader('ETag', etag);
  if (varies.length > 0) response.setHeader('Vary', varies.join(', '));
  if (knows(request, etag)) {
    response.writeHead(304);
    response.end();
    return;
  }
  if (packing !== null) response.setHeader('Content-Encoding', packing);
  const body = packing === null ? asset.body : await asset.packed(packing);
  response.writeHead(200, { 'Content-Type': asset.type, 'Content-Length': body.length });
  response.end(body);
}

/** How long browsers and caches may use a file without asking. */
export type Freshness = 'asked' | 'visitor' | 'minutes' | 'immutable';

const CACHE: Readonly<Record<Freshness, string>> = {
  // Our pages' scripts name one another without a version, so browsers must revalidate: an old one with a new one would break.
  asked: 'public, no-cache',
  // The same page has other links for who is logged in.
  visitor: 'private, no-cache',
  // Customers' pages load these: not a request for each page, but a new version within minutes.
  minutes: 'public, max-age=300, stale-while-revalidate=86400',
  immutable: 'public, max-age=31536000, immutable',
};

/** What is served, by file extension. Nothing else in a folder is. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json; charset=utf-8',
  '.tgz': 'application/gzip',
};

/** Whether a file with such a name is. */
export function isServed(name: string): boolean {
  return TYPES[extname(name)] !== undefined;
}

type Packing = 'br' | 'gzip';

const PACK: Readonly<Record<Packing, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

export class Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly freshness: Freshness;
  readonly #etags = new Map<Packing | null, string>();
  /** Compressed at the first request that accepts it. */
  readonly #packed = new Map<Packing, Promise<Buffer>>();

  constructor(name: string, body: Buffer, freshness: Freshness) {
    this.type = TYPES[extname(name)] ?? 'application/octet-stream';
    this.body = body;
    this.freshness = freshness;
  }

  get packs(): boolean {
    // Bytes below which compression gains nothing: it is one packet anyway.
    return this.body.length >= 1_024 && this.type !== TYPES['.tgz'];
  }

  /** Differs by compression, as the bytes do. */
  etag(packing: Packing | null): string {
    const known = this.#etags.get(packing);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(packing ?? '').update(this.body).digest('base64url'); // prettier-ignore
    const etag = `"${hash.slice(0, 22)}"`;
    this.#etags.set(packing, etag);
    return etag;
  }

  packed(packing: Packing): Promise<Buffer> {
    const known = this.#packed.get(packing) ?? PACK[packing](this.body);
    this.#packed.set(packing, known);
    return known;
  }

  /** The value of a tag's `integrity` attribute. */
  get integrity(): string {
    return `sha384-${createHash('sha384').update(this.body).digest('base64')}`;
  }

  /** Of the contents, for a name that only these contents have. */
  get hash(): string {
    return createHash('sha256').update(this.body).digest('hex').slice(0, 16);
  }
}

function knows(request: IncomingMessage, etag: string): boolean {
  const known = request.headers['if-none-match'];
  return (
    known !== undefined && known.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  );
}

/** The compression that a client prefers; of equals the better one; null: it accepts none. */
function packingFor({ headers }: IncomingMessage): Packing | null {
  const weights = new Map<string, number>();
  for (const entry of (headers['accept-encoding'] ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const [br = 0, gzip = 0] = [weights.get('br'), weights.get('gzip')];
  if (br > 0 && !(gzip > br)) return 'br';
  return gzip > 0 ? 'gzip' : null;
}
