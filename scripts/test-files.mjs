// Which tests there are, and which of them share a process.
import { globSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { ROOT } from './root.mjs';

/**
 * Files that have a process of their own, and the seconds that they take of two processors. The longest start first: what starts
 * last should be short. A file that is not here shares a process with others of its folder. Only times depend on this.
 */
const LONG = {
  golden: 24,
  'durability/erase': 6,
  'workers/memory': 11,
  'router/gdpr/export-user': 11,
  'durability/usage': 5,
  'durability/earlier-versions': 5,
  'durability/damaged-journal': 4,
  'router/auth/login-limits': 9,
  'durability/kill': 4,
  'cli/serve': 9,
  'router/gdpr/erase-user': 8,
  'durability/removal': 4,
  'workers/query-engine': 8,
  'cli/retry': 8,
  'cli/manage': 7,
  'cli/admin': 6,
  'docs/cli-page': 6,
  'docs/examples': 6,
  'cli/pipes': 6,
  'router/limits': 6,
  'shards/erase': 6,
  'router/api/deletion': 5,
  'cli/query': 5,
  'cli/completion/shells': 5,
  'cli/backup-check': 5,
  'properties/engine': 5,
  'properties/metamorphic': 4,
  'properties/isolation': 4,
  'properties/kernels': 4,
  'cli/track': 4,
  'cli/bundle': 4,
  'cli/binary': 4,
  'properties/courses': 3,
};
/** Seconds of any other file. */
const SHORT = 0.7;

/**
 * Tests of what is answered: their data may lie in memory, where the system has files there, as a third of their time is for disks.
 * Tests of what is kept, of processes and of commands have it on a disk.
 */
const OF_ANSWERS = /^dist\/test\/(?:golden\.test|properties\/|workers\/|router\/|docs\/)/;

/** Files of one process: a start costs a third of a second, and loads the service once for all of them. */
const TOGETHER = 6;

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

/** Seconds that a file takes, about. */
export function secondsOf(file) {
  return LONG[keyOf(file)] ?? SHORT;
}

/** Groups for `runGroups`: files of one folder, or one file. */
export function groupsOf(files) {
  const long = Object.keys(LONG).flatMap((key) => files.filter((file) => keyOf(file) === key));
  const byFolder = Map.groupBy(
    files.filter((file) => !long.includes(file)),
    dirname,
  );
  const rest = [...byFolder].flatMap(([folder, some]) =>
    Array.from({ length: Math.ceil(some.length / TOGETHER) }, (_, n) => {
      const part = some.slice(n * TOGETHER, (n + 1) * TOGETHER);
      return {
        name: part.length === 1 ? sourceOf(part[0]) : `${sourceOf(folder)} (${part.length} files)`,
        files: part,
      };
    }),
  );
  const groups = [...long.map((file) => ({ name: sourceOf(file), files: [file] })), ...rest];
  return groups
    .toSorted((a, b) => costOf(b) - costOf(a))
    .map((group) => ({ ...group, inMemory: OF_ANSWERS.test(group.files[0]) }));
}

function costOf({ files }) {
  return files.reduce((sum, file) => sum + secondsOf(file), 0);
}

/** `dist/test/cli/admin.test.js` is `test/cli/admin.test.ts`. */
export function sourceOf(file) {
  return file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
}

function keyOf(file) {
  return /^dist\/test\/(.*)\.test\.js$/.exec(file)?.[1];
}

function filesOf(pattern) {
  const found = globSync(pattern, { cwd: ROOT }).map((file) => relative('.', file).replaceAll('\\', '/'));
  return found.toSorted((a, b) => (a < b ? -1 : 1));
}
