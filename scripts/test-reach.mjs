// Which tests the changed files can reach: through what built files import, start as threads and processes, and read.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { ROOT } from './root.mjs';
import { runsEverywhere } from './test-files.mjs';

/** `import … from './x.js'`, `import('./x.js')`, `new URL('./x.js', import.meta.url)`. */
const RELATIVE = /(?:\bfrom|\bimport\(?|\bnew URL\()\s*'(\.{1,2}\/[^']+)'/g;
/** Files named relative to the root: `'docs/cli.md'`, also in pieces: `PACKAGE_FOLDER, 'docs', name`. */
const NAMED = /'((?:docs|public|scripts|test|bench)\/[\w./-]+|[\w.-]+\.(?:json|md))'/g;
const IN_PIECES = /(?:PACKAGE_FOLDER|process\.cwd\(\))((?:, '[\w.-]+')+)/g;

/** Paths that differ from the last commit; if none do, those that commit changed. */
export function changedFiles() {
  const working = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
  return working.length > 0 ? working : git('diff', '--name-only', 'HEAD~1', 'HEAD');
}

function git(...args) {
  const { stdout, stderr, status } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/**
 * The distance from each test to the nearest changed file: steps of imports and reads, 0 for the test itself.
 * Tests that no change reaches are left out, and those that need what not every machine has.
 */
export function reachedBy(changed) {
  const users = usersOfFiles();
  const distances = new Map(changed.map((file) => [builtOf(file), 0]));
  for (const [file, distance] of distances) {
    for (const user of usersOf(file, users)) if (!distances.has(user)) distances.set(user, distance + 1);
  }
  return new Map([...distances].filter(([file]) => file.endsWith('.test.js') && runsEverywhere(file)));
}

/** Files by what they use. A folder stands for everything in it. */
function usersOfFiles() {
  const users = new Map();
  for (const file of globSync(['dist/{bin,lib,cluster,scripts,test,bench}/**/*.js', 'scripts/*.{mjs,cjs}'], {
    cwd: ROOT,
  })) {
    for (const used of usedBy(file)) users.set(used, [...(users.get(used) ?? []), file]);
  }
  return users;
}

function usersOf(file, users) {
  const all = [...(users.get(file) ?? [])];
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) all.push(...(users.get(folder) ?? []));
  return all;
}

function usedBy(file) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const relative = [...text.matchAll(RELATIVE)].map(([, path]) => join(dirname(file), path));
  const named = [...text.matchAll(NAMED)].map(([, path]) => path);
  const pieces = [...text.matchAll(IN_PIECES)].map(([, parts]) => parts.replaceAll(/', '|^, '|'$/g, '/').slice(1, -1));
  return [...relative, ...[...named, ...pieces].filter((path) => existsSync(join(ROOT, path))).map(builtOf)];
}

/** The built file of a source; any other file stays as it is. */
function builtOf(path) {
  if (path.startsWith('lib/primitives/wasm/')) return 'dist/lib/primitives/primitives.wasm';
  return path.endsWith('.ts') ? join('dist', path.replace(/\.ts$/, '.js')) : path;
}
