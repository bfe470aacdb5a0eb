/**
 * GET /public/…: style sheets, scripts, pictures and packages. The folders are read once at the start into a map from path to answer; a
 * request only looks up the map, so no path can lead out of it.
 */
import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import { syncPath } from '../../base/files/sync-path.ts';
import { renameSync, statSync, unlinkSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { RequestHandler } from '../http/request.ts';
import { AppError, isOfDisk } from '../../base/errors.ts';
import { openToEmbedding } from '../http/cors.ts';
import { pathOf } from '../http/query-string.ts';
import { setPagePolicy } from './page-policy.ts';
import { SCRIPTS_FOLDER } from '../../base/files/private-files.ts';
import type { Log } from '../../base/log.ts';
import { Asset, type Freshness, isServed, sendAsset } from './asset.ts';

/** What customers' pages and programs refer to: scripts used on their own, and the package whose bytes a lock file names. */
const PINNED = /^(?:wl(?:\.choice)?\.js|windlass-client\.tgz)$/;

/** Serves the files of folders below `/public/`, and the data folder's copies of scripts among them. */
export function staticFiles(folders: readonly string[], dataFolder: string, log: Pick<Log, 'warn'>): RequestHandler {
  const assets = readAll(folders, dataFolder, log);
  return async (request, response) => {
    openToEmbedding(response);
    const asset = assets.get(pathOf(request)); // our own names need no percent escapes
    if (asset?.type.startsWith('text/html')) setPagePolicy(request, response);
    if (asset === undefined) throw new AppError('not_found', 'There is no such file.');
    await sendAsset(request, response, asset);
  };
}

function readAll(folders: readonly string[], dataFolder: string, log: Pick<Log, 'warn'>): ReadonlyMap<string, Asset> {
  const freshness = (path: string): Freshness => (PINNED.test(path) ? 'minutes' : 'asked');
  const assets = new Map(folders.flatMap((folder) => [...readAssets(folder, freshness)]));
  const pinned = new Map([...assets].filter(([path]) => PINNED.test(path)));
  for (const [name, asset] of pinned) assets.set(copyName(name, asset), new Asset(name, asset.body, 'immutable'));
  try {
    for (const [name, copy] of keepCopies(dataFolder, pinned)) assets.set(name, copy);
  } catch (error) {
    if (!isOfDisk(error)) throw error; // else the next start keeps them: today's are served all the same
    log.warn({ err: error }, 'scripts cannot be copied into the data folder');
  }
  assets.set('scripts.json', new Asset('scripts.json', describe(pinned), 'asked'));
  return new Map([...assets].map(([path, asset]) => [`/public/${path}`, asset]));
}

/** What a tag or a manifest that pins a version needs. */
function describe(pinned: ReadonlyMap<string, Asset>): Buffer {
  const entries = [...pinned].map(([name, asset]) => [
    name,
    { path: `/public/${copyName(name, asset)}`, integrity: asset.integrity },
  ]);
  return Buffer.from(`${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

/**
 * Scripts and packages under names with a hash of their contents, for tags with `integrity` and for lock files. Such a tag stays in
 * a customer's page for years, so the data folder keeps a copy of every version that was served and serves it for ever.
 */

const COPY = /^[\w.-]+\.([0-9a-f]{16})\.(?:js|tgz)$/;

/** `wl.js` as `wl.0123456789abcdef.js`. */
export function copyName(name: string, asset: Asset): string {
  return name.replace(/\.(?=js$|tgz$)/, `.${asset.hash}.`);
}

/** Keeps copies of today's files (by name), and returns those of all versions by their names. */
function keepCopies(dataFolder: string, pinned: ReadonlyMap<string, Asset>): ReadonlyMap<string, Asset> {
  const folder = join(dataFolder, SCRIPTS_FOLDER);
  makeFolderOnDisk(folder);
  const read = (): Map<string, Asset> =>
    new Map([...readAssets(folder, () => 'immutable')].filter(([name, asset]) => COPY.exec(name)?.[1] === asset.hash));
  const known = read();
  for (const [name, asset] of pinned) {
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

/** The files of a folder, by their relative paths. */
function readAssets(folder: string, freshness: (path: string) => Freshness): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !isServed(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).replaceAll(sep, '/');
    if (path !== 'tsconfig.json') assets.set(path, new Asset(path, readFileSync(file), freshness(path)));
  }
  return assets;
}
