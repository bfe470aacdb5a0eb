/**
 * Scripts under names with a hash of their contents, for tags with `integrity`. Such a tag stays in a customer's page for years,
 * so the data folder keeps a copy of every version that was served and serves it for ever.
 */
import { mkdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCRIPTS_FOLDER } from '../../base/files/scripts-folder.ts';
import { type Asset, readAssets } from './assets.ts';

/** Copies kept: many years of releases. The oldest are deleted. */
const MOST_COPIES = 200;

const COPY = /^[\w.-]+\.([0-9a-f]{16})\.js$/;

/** `wl.js` as `wl.0123456789abcdef.js`. */
export function copyName(name: string, asset: Asset): string {
  return name.replace(/\.js$/, `.${asset.hash}.js`);
}

/** Keeps copies of today's scripts (by name), and returns those of all versions by their names. */
export function keepCopies(dataFolder: string, scripts: ReadonlyMap<string, Asset>): ReadonlyMap<string, Asset> {
  const folder = join(dataFolder, SCRIPTS_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const read = (): Map<string, Asset> =>
    new Map([...readAssets(folder, () => 'immutable')].filter(([name, asset]) => COPY.exec(name)?.[1] === asset.hash));
  const known = read();
  for (const [name, asset] of scripts) {
    const file = join(folder, copyName(name, asset));
    if (known.has(copyName(name, asset))) continue;
    writeFileSync(`${file}.draft`, asset.body, { mode: 0o600, flush: true });
    renameSync(`${file}.draft`, file);
  }
  const copies = read();
  for (const name of oldest(folder, [...copies.keys()])) {
    unlinkSync(join(folder, name));
    copies.delete(name);
  }
  return copies;
}

/** The copies beyond the limit. */
function oldest(folder: string, names: readonly string[]): readonly string[] {
  const since = (name: string): number => statSync(join(folder, name)).mtimeMs;
  return names.toSorted((a, b) => since(a) - since(b)).slice(0, Math.max(0, names.length - MOST_COPIES));
}
