// Which tests there are, and which of them share a process.
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './root.mjs';

/** Seconds of a processor that files take; the others take OTHER, about. Only the time of a run depends on these. */
const SECONDS = {
  golden: 22,
  'workers/memory': 11,
  'workers/query-engine': 8,
  'router/gdpr/erase-user': 4,
  'router/gdpr/export-user': 6,
  'router/auth/login-limits': 6,
  'durability/erase': 4,
  'scripts/test-run': 5,
  'properties/engine': 5,
  'durability/usage': 5,
  'cli/serve': 5,
  'cli/bundle': 2,
  'cli/completion/shells': 5,
  'router/hostile-texts': 4,
  'router/unread-answers': 2,
  'durability/earlier-versions': 7,
  'cli/pipes': 4,
  'cli/backup-restore': 4,
  'cli/backup-bucket': 3,
  'erasures/restore': 2,
  'router/api/admin': 2,
  'router/on-call': 2,
  'cli/move-project': 3,
  'cli/binary': 4,
  'docs/examples': 4,
  'router/api/deletion': 4,
  'router/limits': 4,
  'durability/kill': 4,
  'durability/removal': 4,
  'properties/metamorphic': 3,
  'properties/kernels': 3,
  'cli/at-terminal': 3,
  'properties/courses': 3,
  'server/event-loop': 3,
  'properties/isolation': 3,
  'cli/manage': 3,
  'cli/track': 3,
  'scripts/prepare': 3,
  'chaos/chaos': 3,
  'cli/query': 3,
  'demo/demo-data': 3,
  'cli/settings': 2,
  'router/bulk': 2,
  'cli/provision': 2,
  'cli/bad-disk': 3,
  'webhooks/webhooks': 4,
  'cli/config': 2,
  'router/api/members': 2,
  'shards/type-rows': 2,
  'router/pages/pages': 2,
  'dsl/time/buckets': 2,
  'shards/writer': 2,
  'cli/admin-project-delete': 2,
  'durability/idle-sockets': 2,
  'workers/sessions': 2,
  'router/organization-limits': 2,
  'durability/restore-drill': 2,
  'server/private-files': 2,
  'cli/dashboard': 3,
  'router/dashboards': 2,
  'cli/retry': 5, // of pauses
  'server/backup-schedule': 3,
};
const OTHER = 0.7;

/** Seconds of one process, at most, where it has several files: a start costs half a second, and few processes balance badly. */
const TOGETHER = 20;

/**
 * Tests of what is kept have their data on a disk. That of all others may lie in memory, where the system has files there: a tenth
 * to a third of their time is for disks.
 */
const OF_DISKS = /^dist\/test\/(?:durability|shards|backup|chaos)\//;

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
    inMemory: !OF_DISKS.test(first),
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
