/**
 * GET /public/…: style sheets, scripts and pictures. The folders are read once at the start into a map from path to answer; a
 * request only looks up the map, so no path can lead out of it.
 */
import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import { syncPath } from '../../base/files/sync-path.ts';
import type { IncomingMessage } from 'node:http';
import { renameSync, statSync, unlinkSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { join, extname, relative, sep } from 'node:path';
import type { RequestHandler } from '../http/request.ts';
import { AppError, isOfDisk } from '../../base/errors.ts';
import { openToEmbedding } from '../http/cors.ts';
import { pathOf } from '../http/query-string.ts';
import { setPagePolicy } from './page-policy.ts';
import { SCRIPTS_FOLDER } from '../../base/files/private-files.ts';
import type { Log } from '../../base/log.ts';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const CACHE: Readonly<Record<Freshness, string>> = {
  // Our pages' scripts name one another without a version, so browsers must revalidate: an old one with a new one would break.
  asked: 'public, no-cache',
  // Customers' pages load these: not a request for each page, but a new version within minutes.
  minutes: 'public, max-age=300, stale-while-revalidate=86400',
  immutable: 'public, max-age=31536000, immutable',
};

/** Scripts used on their own in customers' pages. */
const SCRIPT = /^wl(?:\.choice)?\.js$/;

/** Serves the files of folders below `/public/`, and the data folder's copies of scripts among them. */
export function staticFiles(folders: readonly string[], dataFolder: string, log: Pick<Log, 'warn'>): RequestHandler {
  const assets = readAll(folders, dataFolder, log);
  return async (request, response) => {
    openToEmbedding(response);
    const asset = assets.get(pathOf(request)); // our own names need no percent escapes
    if (asset?.type.startsWith('text/html')) setPagePolicy(request, response);
    if (asset === undefined) throw new AppError('not_found', 'There is no such file.');
    const packing = asset.packs ? packingFor(request) : null;
    const etag = asset.etag(packing);
    response.setHeader('Cache-Control', CACHE[asset.freshness]);
    response.setHeader('ETag', etag);
    if (asset.packs) response.setHeader('Vary', 'Accept-Encoding');
    if (knows(request, etag)) {
      response.writeHead(304);
      response.end();
      return;
    }
    if (packing !== null) response.setHeader('Content-Encoding', packing);
    const body = packing === null ? asset.body : await asset.packed(packing);
    response.writeHead(200, { 'Content-Type': asset.type, 'Content-Length': body.length });
    response.end(body);
  };
}

function readAll(folders: readonly string[], dataFolder: string, log: Pick<Log, 'warn'>): ReadonlyMap<string, Asset> {
  const freshness = (path: string): Freshness => (SCRIPT.test(path) ? 'minutes' : 'asked');
  const assets = new Map(folders.flatMap((folder) => [...readAssets(folder, freshness)]));
  const scripts = new Map([...assets].filter(([path]) => SCRIPT.test(path)));
  for (const [name, asset] of scripts) assets.set(copyName(name, asset), new Asset(name, asset.body, 'immutable'));
  try {
    for (const [name, copy] of keepCopies(dataFolder, scripts)) assets.set(name, copy);
  } catch (error) {
    if (!isOfDisk(error)) throw error; // else the next start keeps them: today's are served all the same
    log.warn({ err: error }, 'scripts cannot be copied into the data folder');
  }
  assets.set('scripts.json', new Asset('scripts.json', describe(scripts), 'asked'));
  return new Map([...assets].map(([path, asset]) => [`/public/${path}`, asset]));
}

/** What a tag that pins a version needs. */
function describe(scripts: ReadonlyMap<string, Asset>): Buffer {
  const entries = [...scripts].map(([name, asset]) => [
    name,
    { path: `/public/${copyName(name, asset)}`, integrity: asset.integrity },
  ]);
  return Buffer.from(`${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
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

/**
 * Scripts under names with a hash of their contents, for tags with `integrity`. Such a tag stays in a customer's page for years,
 * so the data folder keeps a copy of every version that was served and serves it for ever.
 */

const COPY = /^[\w.-]+\.([0-9a-f]{16})\.js$/;

/** `wl.js` as `wl.0123456789abcdef.js`. */
function copyName(name: string, asset: Asset): string {
  return name.replace(/\.js$/, `.${asset.hash}.js`);
}

/** Keeps copies of today's scripts (by name), and returns those of all versions by their names. */
function keepCopies(dataFolder: string, scripts: ReadonlyMap<string, Asset>): ReadonlyMap<string, Asset> {
  const folder = join(dataFolder, SCRIPTS_FOLDER);
  makeFolderOnDisk(folder);
  const read = (): Map<string, Asset> =>
    new Map([...readAssets(folder, () => 'immutable')].filter(([name, asset]) => COPY.exec(name)?.[1] === asset.hash));
  const known = read();
  for (const [name, asset] of scripts) {
    const file = join(folder, copyName(name, asset));
    if (known.has(copyName(name, asset))) continue;
    writeFileSync(`${file}.draft`, asset.body, { mode: 0o600, flush: true });
    renameSync(`${file}.draft`, file);
    syncPath(folder);
  }
  const copies = read();
  for (const name of oldest(folder, [...copies.keys()])) {
    unlinkSync(join(folder, name));
    copies.delete(name);
  }
  return copies;
}

function oldest(folder: string, names: readonly string[]): readonly string[] {
  const since = (name: string): number => statSync(join(folder, name)).mtimeMs;
  // Copies kept: many years of releases. The oldest are deleted.
  return names.toSorted((a, b) => since(a) - since(b)).slice(0, Math.max(0, names.length - 200));
}

/** What is served, by file extension. Nothing else in a folder is. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json; charset=utf-8',
};

type Packing = 'br' | 'gzip';

const PACK: Readonly<Record<Packing, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

/** How long browsers and caches may use a file without asking. */
type Freshness = 'asked' | 'minutes' | 'immutable';

class Asset {
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
    return this.body.length >= 1_024; // bytes below which compression gains nothing: it is one packet anyway
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
function readAssets(folder: string, freshness: (path: string) => Freshness): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || TYPES[extname(entry.name)] === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).replaceAll(sep, '/');
    if (path !== 'tsconfig.json') assets.set(path, new Asset(path, readFileSync(file), freshness(path)));
  }
  return assets;
}
