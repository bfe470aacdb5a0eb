// Which tests exist, and which of them share a process.
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './root.mjs';

/** Approximate CPU seconds per file; others take OTHER. They only affect how long a run takes. */
const SECONDS = {
  'postgres/two-nodes': 60, // mostly pauses
  'postgres/moving-up': 30,
  'clickhouse/engine/away': 25, // mostly pauses
  'postgres/away': 20, // mostly pauses
  golden: 12,
  'durability/resident': 12,
  'workers/memory': 8,
  'durability/earlier-versions': 8,
  'workers/engine': 7,
  'cli/client/retry': 5, // mostly pauses
  'docs/examples': 5,
  'router/gdpr/erase-user': 4,
  'router/gdpr/export-user': 4,
  'cli/binary': 4,
  'durability/usage': 4,
  'durability/half-made': 4,
  'durability/erase': 4,
  'durability/kill': 4,
  'properties/personal': 8,
  'dsl/bind/personal': 8,
  'properties/engine': 4,
  'properties/kernels': 4,
  'cli/admin/copies/backup-restore': 4,
  'cli/admin/remote-host': 5,
  'durability/removal': 4,
  'scripts/test-run': 4,
  'router/auth/login-limits': 3,
  'router/hostile-texts': 3,
  'cli/pipes': 3,
  'properties/isolation': 3,
  'router/export/long-export': 12,
  'cli/export/export': 4,
  'cli/at-terminal': 3,
  'router/api/deletion': 3,
  'properties/timelines': 3,
  'properties/metamorphic': 3,
  'cli/completion/shells': 3,
  'cli/serve': 3,
  'cli/admin/copies/move-project': 3,
  'cli/bundle': 3,
  'scripts/demo': 8,
  'scripts/prepare': 3,
  'scripts/release/packages': 5,
  'scripts/release/prepare': 2,
  'router/pages/commands': 4,
  'server/backup-schedule': 3,
  'chaos/chaos': 3,
  'demo/demo-data': 2,
  'cli/dashboard/dashboard': 2,
  'properties/growing': 2,
  'dsl/time/buckets': 2,
  'shards/writer/writer': 2,
  'router/http/unread-answers': 2,
  'durability/restore-drill': 2,
  'durability/damaged-shards': 2,
  'durability/import-kill': 2,
  'server/private-files': 2,
  'webhooks/webhooks': 2,
  'erasures/restore': 2,
  'router/limits/limits': 1,
  'cli/admin/project-delete': 1,
  'cli/admin/copies/backup-bucket': 1,
  'workers/kernels/sessions': 1,
  'cli/admin/copies/backup-check': 1,
  'durability/damaged-journal': 1,
  'docs/cli-page': 1,
  'sdk/package': 1,
  'erasures/targets': 1,
  'properties/shards': 1,
};
const OTHER = 0.25;
/** Commands: many start programs. */
const OTHER_OF_CLI = 0.6;
/** Pages: each file starts a browser. */
const OTHER_OF_BROWSER = 12;

/** Most seconds of a process with several files: a start costs half a second, and few processes balance badly. */
const TOGETHER = 25;
/** Below this many seconds, a folder's files share a process with those of others. */
const SMALL = 10;

/**
 * Storage tests keep their data on a disk. All others may use memory, if the system has a memory file system: a tenth to a third
 * of their time is disk work.
 */
const OF_DISKS = /^dist\/test\/(?:durability|shards|backup|chaos)\//;

/** They change the account of their process for a while: whatever else runs in it could not use its files. */
const ALONE = /\/read-only\.test\.js$/;

/** Tests that need what not every machine has: a browser. Those of the cluster (`clusterTests`, `postgresTests`) are apart, too. */
const ELSEWHERE = /^dist\/(?:test\/browser|cluster)\//;

const OF_FILES = /^dist\/test\/control\/(?:storage|process)\//;

/** Whether a built test belongs to `npm test`. */
export const runsEverywhere = (file) => !ELSEWHERE.test(file);

/** The built tests that run on every machine. */
export function allTests() {
  return filesOf('dist/test/**/*.test.js').filter(runsEverywhere);
}

/** Those of the package, and of the store on ClickHouse. */
export function clusterTests() {
  return filesOf('dist/cluster/test/**/*.test.js').filter((file) => !file.includes('/postgres/'));
}

/** Those of the control database that are not about its file, and those of several nodes. */
export function postgresTests() {
  return filesOf('dist/{test/control,cluster/test/postgres}/**/*.test.js').filter((file) => !OF_FILES.test(file));
}

export function browserTests() {
  return filesOf('dist/test/browser/**/*.test.js');
}

/** @param patterns globs, or parts of names in `files`: of sources or of built files. */
export function matchingTests(patterns, files) {
  const named = patterns.flatMap((pattern) => {
    if (/[*?{[]/.test(pattern)) return filesOf(pattern);
    const part = pattern.replace(/^(\.\/)?(dist\/)?/, '').replace(/\.[tj]s$/, '');
    return files.filter((file) => file.includes(part));
  });
  return [...new Set(named)];
}

/** Approximate seconds that a file takes. */
export function secondsOf(file) {
  const key = keyOf(file);
  const other = key.startsWith('browser/') ? OTHER_OF_BROWSER : key.startsWith('cli/') ? OTHER_OF_CLI : OTHER;
  return SECONDS[key] ?? other;
}

/** Groups for `runGroups`, one folder each, small folders combined. The longest start first: the last should be short. */
export function groupsOf(files) {
  const alone = files.filter((file) => ALONE.test(file)).map((file) => groupOf([file]));
  const others = files.filter((file) => !ALONE.test(file));
  const folders = Map.groupBy(others, (file) => /^dist\/(?:cluster\/)?test\/(?:[^/]+\/)?/.exec(file)?.[0]);
  const ofFolders = [...folders.values()].flatMap((of) => packed(of.map((file) => groupOf([file]))));
  const { small = [], large = [] } = Object.groupBy(ofFolders, ({ seconds }) => (seconds < SMALL ? 'small' : 'large'));
  const ofSmall = Object.values(Object.groupBy(small, ({ inMemory }) => String(inMemory))).flatMap(packed);
  return [...alone, ...large, ...ofSmall].toSorted((a, b) => b.seconds - a.seconds);
}

/** Groups that share processes: each goes to the one with the most room left. */
function packed(groups) {
  const shared = [];
  for (const group of groups.toSorted((a, b) => b.seconds - a.seconds)) {
    const least = shared.toSorted((a, b) => a.seconds - b.seconds)[0];
    if (least !== undefined && least.seconds + group.seconds <= TOGETHER) {
      shared[shared.indexOf(least)] = groupOf([...least.files, ...group.files]);
    } else shared.push(group);
  }
  return shared;
}

function groupOf(files) {
  const [first, ...others] = files;
  return {
    name: sourceOf(first) + (others.length > 0 ? ` and ${others.length} more` : ''),
    files,
    seconds: files.reduce((sum, file) => sum + secondsOf(file), 0),
    inMemory: !OF_DISKS.test(first),
  };
}

/** `dist/test/cli/admin/admin.test.js` → `test/cli/admin/admin.test.ts`. */
export function sourceOf(file) {
  return file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
}

function keyOf(file) {
  return /^dist\/(?:cluster\/)?test\/(.*)\.test\.js$/.exec(file)?.[1];
}

function filesOf(pattern) {
  const found = globSync(pattern, { cwd: ROOT }).map((file) => relative('.', file).replaceAll('\\', '/'));
  return found.toSorted((a, b) => (a < b ? -1 : 1));
}
