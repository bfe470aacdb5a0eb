/** The files under /public: handwritten ones, built ones, and scripts of earlier versions. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** What is served, by file extension. Nothing else in a folder is. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json; charset=utf-8',
};

/** Bytes below which compression gains nothing: it is one packet anyway. */
const PACKED_FROM = 1_024;

export type Packing = 'br' | 'gzip';

const PACK: Readonly<Record<Packing, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

/** How long browsers and caches may use a file without asking. */
export type Freshness = 'asked' | 'minutes' | 'immutable';

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
    return this.body.length >= PACKED_FROM;
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

/** The files of a folder, by their relative paths. */
export function readAssets(folder: string, freshness: (path: string) => Freshness): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || TYPES[extname(entry.name)] === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).replaceAll(sep, '/');
    if (path !== 'tsconfig.json') assets.set(path, new Asset(path, readFileSync(file), freshness(path)));
  }
  return assets;
}
