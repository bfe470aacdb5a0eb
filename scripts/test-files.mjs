// Which tests there are, and which of them share a process.
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './root.mjs';

/** Seconds of a processor that files take; the others take OTHER, about. Only the time of a run depends on these. */
const SECONDS = {
  golden: 24,
  'workers/memory': 12,
  'router/gdpr/export-user': 10,
  'workers/query-engine': 10,
  'router/gdpr/erase-user': 8,
  'router/auth/login-limits': 7,
  'cli/admin': 7,
  'cli/manage': 6,
  'docs/cli-page': 6,
  'cli/serve': 6,
  'durability/erase': 5,
  'properties/engine': 5,
  'durability/usage': 5,
  'cli/backup-check': 5,
  'cli/backup-restore': 8,
  'cli/query': 5,
  'docs/examples': 5,
  'cli/completion/shells': 5,
  'cli/pipes': 5,
  'router/limits': 4,
  'router/api/deletion': 4,
  'cli/binary': 4,
  'cli/bundle': 4,
  'cli/track': 4,
  'properties/metamorphic': 4,
  'properties/kernels': 4,
  'properties/courses': 4,
  'properties/isolation': 4,
  'durability/earlier-versions': 4,
  'durability/damaged-journal': 4,
  'durability/kill': 4,
  'durability/removal': 4,
  'durability/restore-drill': 3,
  'chaos/chaos': 4,
  'server/event-loop': 5,
  'cli/login-link': 4,
  'cli/at-terminal': 4,
  'scripts/test-run': 3,
  'cli/config': 3,
  'cli/settings': 3,
  'cli/wl': 3,
  'cli/operator': 3,
  'demo/demo-data': 2,
  'properties/shards': 2,
  'properties/sessions': 2,
  'properties/growing': 3,
  'properties/paths': 3,
  'cli/retry': 2,
  'dsl/time/buckets': 2,
  'router/api/projects': 2,
  'router/api/members': 2,
  'router/auth/refused-login': 2,
  'router/bulk': 2,
  'workers/user-data': 2,
  'workers/sessions': 2,
  'shards/type-rows': 2,
  'shards/writer': 2,
  'router/pages/pages': 2,
};
const OTHER = 0.7;

/** Seconds of one process, at most, where it has several files: a start costs half a second, and few processes balance badly. */
const TOGETHER = 9;

/**
 * Tests of what is answered: their data may lie in memory, where the system has files there, as a third of their time is for disks.
 * Tests of what is kept, of processes and of commands have it on a disk.
 */
const OF_ANSWERS = /^dist\/test\/(?:golden\.test|properties\/|workers\/|router\/|docs\/)/;

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
  return SECONDS[keyOf(file)] ?? OTHER;
}

/** Groups for `runGroups`, of files of one folder. The longest start first: what starts last should be short. */
export function groupsOf(files) {
  const folders = Map.groupBy(files, (file) => /^dist\/test\/(?:[^/]+\/)?/.exec(file)?.[0]);
  const groups = [...folders.values()].flatMap(shared);
  return groups.toSorted((a, b) => b.seconds - a.seconds).map(described);
}

/** Files that share processes: each goes where there is the most room left. */
function shared(files) {
  const groups = [];
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const least = groups.toSorted((a, b) => a.seconds - b.seconds)[0];
    if (least !== undefined && least.seconds + secondsOf(file) <= TOGETHER) {
      least.files.push(file);
      least.seconds += secondsOf(file);
    } else groups.push({ files: [file], seconds: secondsOf(file) });
  }
  return groups;
}

function described({ files }) {
  const [first, ...others] = files;
  return {
    name: sourceOf(first) + (others.length > 0 ? ` and ${others.length} more` : ''),
    files,
    inMemory: OF_ANSWERS.test(first),
  };
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
