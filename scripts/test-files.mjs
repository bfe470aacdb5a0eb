// Which tests there are, and which of them share a process.
import { globSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { ROOT } from './steps.mjs';

/**
 * Files that have a process of their own, the longest first: what starts last should be short. A file that is not named here
 * shares a process with others of its folder; nothing but the time depends on this list.
 */
const LONG = [
  'golden',
  'properties/metamorphic',
  'properties/engine',
  'properties/courses',
  'properties/kernels',
  'properties/isolation',
  'durability/erase',
  'durability/usage',
  'durability/kill',
  'durability/removal',
  'workers/memory',
  'workers/query-engine',
  'router/gdpr/export-user',
  'router/gdpr/erase-user',
  'router/auth/login-limits',
  'router/limits',
  'router/api/deletion',
  'cli/retry',
  'cli/completion/shells',
  'cli/manage',
  'cli/admin',
  'cli/pipes',
  'cli/serve',
  'cli/query',
  'cli/track',
  'cli/bundle',
  'cli/backup-check',
  'docs/cli-page',
  'docs/examples',
  'shards/erase',
];

/** Files of one process: a start costs a third of a second, and loads the service once for all of them. */
const TOGETHER = 10;

/** Tests as they are built, but for those in a browser, as not every machine has one. */
export function allTests() {
  return filesOf('dist/test/**/*.test.js').filter((file) => !file.startsWith('dist/test/browser/'));
}

export function browserTests() {
  return filesOf('dist/test/browser/**/*.test.js');
}

/** @param patterns globs, or parts of the names of `files`: of the sources or of what is built of them. */
export function matchingTests(patterns, files) {
  const named = patterns.flatMap((pattern) => {
    if (/[*?{[]/.test(pattern)) return filesOf(pattern);
    const part = pattern.replace(/^(\.\/)?(dist\/)?/, '').replace(/\.[tj]s$/, '');
    return files.filter((file) => file.includes(part));
  });
  return [...new Set(named)];
}

/** Groups for `runGroups`. */
export function groupsOf(files) {
  const long = LONG.map((name) => `dist/test/${name}.test.js`).filter((file) => files.includes(file));
  const byFolder = Map.groupBy(
    files.filter((file) => !long.includes(file)),
    (file) => folderOf(dirname(file)),
  );
  const rest = [...byFolder].flatMap(([folder, some]) =>
    Array.from({ length: Math.ceil(some.length / TOGETHER) }, (_, n) => {
      const part = some.slice(n * TOGETHER, (n + 1) * TOGETHER);
      return { name: part.length === 1 ? nameOf(part[0]) : `${folder} (${part.length} files)`, files: part };
    }),
  );
  return [...long.map((file) => ({ name: nameOf(file), files: [file] })), ...rest];
}

function folderOf(folder) {
  return folder.replace(/^dist\//, '');
}

function nameOf(file) {
  return file.replace(/^dist\/(.*)\.js$/, '$1.ts');
}

function filesOf(pattern) {
  return globSync(pattern, { cwd: ROOT })
    .map((file) => relative('.', file).replaceAll('\\', '/'))
    .sort();
}
