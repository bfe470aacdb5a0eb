/** What lies in a folder that was backed up to. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Manifest } from '../../lib/backup/manifest.ts';

/** Names of the manifests, oldest first. */
export const manifestsIn = (target: string): string[] => fs.readdirSync(join(target, 'backups')).sort();

/** Path of the newest manifest. */
export const newestManifest = (target: string): string => join(target, 'backups', manifestsIn(target).at(-1)!);

export const readNewest = (target: string): Manifest =>
  JSON.parse(fs.readFileSync(newestManifest(target), 'utf8')) as Manifest;

/** Where the newest backup has a file of the data folder. */
export function fileIn(target: string, name: string): string {
  const file = readNewest(target).files.find((each) => each.path === name);
  return join(target, 'files', file?.sha256 ?? `no ${name}`);
}

interface OldBackups {
  readonly projects: readonly [shop: string, other: string];
  readonly files: Readonly<Record<string, string>>;
}

/** Unpacks the targets `one` and `several`, in the form of before. See test/fixtures/README.md. */
export function unpackOldBackups(into: string): OldBackups['projects'] {
  const packed = fs.readFileSync(fileURLToPath(new URL('../../../test/fixtures/backups.json.br', import.meta.url)));
  const { projects, files } = JSON.parse(brotliDecompressSync(packed).toString('utf8')) as OldBackups;
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(into, name)), { recursive: true });
    fs.writeFileSync(join(into, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
  return projects;
}
