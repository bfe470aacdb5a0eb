// What a build depends on, as one text: as long as it stays the same, what was built is still good.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  ...['bench', 'bin', 'cluster', 'console', 'docs', 'lib', 'public', 'scripts', 'sdk', 'test'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', join('node_modules', '.package-lock.json')],
];
/** What is in a folder of sources without being one. */
const MADE = new Set(['node_modules', 'dist']);

/** A hash of the names, lengths and times of all sources in a checkout, and of the Node that builds. Reads none of them. */
export function fingerprint(root) {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) if (existsSync(join(root, source))) add(hash, root, source);
  return hash.digest('hex');
}

function add(hash, root, path) {
  const found = statSync(join(root, path));
  if (!found.isDirectory()) {
    hash.update(`\n${path} ${found.size} ${found.mtimeMs}`);
    return;
  }
  const names = readdirSync(join(root, path)).filter((name) => !MADE.has(name));
  for (const name of names.sort()) add(hash, root, join(path, name));
}
