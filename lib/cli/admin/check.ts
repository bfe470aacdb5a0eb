import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { halfCopies, halfMadeCopies } from '../../backup/half-made.ts';
import { repair } from '../../backup/repair.ts';
import { halfRestore } from '../../backup/switch-over.ts';
import { DataLock } from '../../control/process/data-lock.ts';
import { checkControl, projectsWithEvents, requireData } from '../../control/process/check.ts';
import { shardNames } from '../../shards/upkeep/backup.ts';
import { checkShard } from '../../shards/upkeep/check.ts';
import { whyUnreadable } from '../../backup/whole-file.ts';
import { ERASURE_LOG, logProblem } from '../../erasures/log-file.ts';
import { journalReports } from '../../shards/journal/damage.ts';
import { findDamage, journalProjects } from '../../shards/journal/rewrite.ts';
import { AppError } from '../../base/errors.ts';
import { codeTold } from '../../shards/file/shard-file.ts';
import { folderCommand } from './admin-command.ts';
import { counted } from '../text.ts';
import { flag } from '../command.ts';

interface Damage {
  readonly what: 'control' | 'erasures' | 'journal' | 'project' | 'left';
  readonly project: string | null;
  readonly name: string | null;
  readonly problems: readonly string[];
}

export const check = folderCommand({
  usage: 'check',
  summary: 'Verify every file in the data folder; exits with 1 and names damaged projects',
  examples: [
    ['wl admin check --data /var/lib/windlass', 'beside a running service, or without one'],
    ['wl admin check --repair', 'clean up after a crash; the service must be stopped'],
  ],
  options: {
    repair: flag('First repair what can be repaired without losing data, and report it; the service must be stopped'),
  },
  run: async ({ repair: repairs }, { data, secret, store }, terminal) => {
    requireData(data);
    const onShard = (done: number, of: number): void => terminal.status(`${done} of ${of} projects`);
    const repaired = repairs ? await repair({ data, secret, onShard }) : [];
    terminal.status('');
    const control = checkControl(data);
    const stored = store === null ? projectsWithEvents(data) : [];
    const shards = shardNames(join(data, 'shards'));
    const unsealed = journalProjects(join(data, 'journal'));
    const projects = new Set([...unsealed, ...shards.map(projectOfShard)]).size;
    const damaged = [
      { what: 'control', project: null, name: null, problems: control.problems } as const,
      ...erasuresOf(join(data, ERASURE_LOG)),
      ...journalsOf(join(data, 'journal'), control.projects),
      ...shards.map((file): Damage => {
        const project = projectOfShard(file);
        const name = control.projects.get(project) ?? null;
        return { what: 'project', project, name, problems: problemsOf(join(data, 'shards', file)) };
      }),
      ...missing(
        data,
        stored.filter((project) => control.projects.has(project) && !unsealed.has(project)),
        control.projects,
      ),
      ...leftIn(data),
    ].filter(({ problems }) => problems.length > 0);
    return {
      json: { ok: damaged.length === 0, projects, shards: shards.length, damaged, ...(repairs ? { repaired } : {}) },
      text: [
        ...repaired.map(({ what, where }) => `${where}: ${what}`),
        ...(repairs && repaired.length === 0 ? ['nothing was left to put in order'] : []),
        ...(damaged.length === 0
          ? [
              `ok: control database, journal and ${counted(shards.length, 'shard')}, with events of ${counted(projects, 'project')}`,
            ]
          : damaged.map(line)),
      ].join('\n'),
      problems: damaged.flatMap((each) => each.problems.map((problem) => `${line(each)}: ${problem}`)),
    };
  },
});

const projectOfShard = (file: string): string => file.replace(/\.db$/, '');

/** Projects whose events were stored, but whose files are gone. They are looked for last: one may just have been sealed. */
function missing(data: string, projects: readonly string[], names: ReadonlyMap<string, string>): Damage[] {
  const gone = projects.filter((project) => !existsSync(join(data, 'shards', `${project}.db`)));
  const problems = ['its file is missing: restore it from a backup, or delete the project'];
  return gone.map((project) => ({ what: 'project', project, name: names.get(project) ?? null, problems }));
}

/** If one project's file cannot be read, the others are still reported. */
function problemsOf(file: string): readonly string[] {
  try {
    return checkShard(file);
  } catch (error) {
    const unreadable = whyUnreadable(file);
    if (unreadable !== null) return [unreadable];
    if (error instanceof AppError && error.data.ofProject === true)
      return [`its file cannot be used${codeTold(error)}`];
    throw error;
  }
}

function erasuresOf(file: string): Damage[] {
  const problem = logProblem(file);
  return problem === null ? [] : [{ what: 'erasures', project: null, name: null, problems: [problem] }];
}

/** What processes that ended have left. Copies beside shards, and a restore, are in the making while somebody has the lock. */
function leftIn(data: string): Damage[] {
  const isServed = DataLock.isHeld(data);
  const left = [...halfMadeCopies(data), ...(isServed ? [] : [...halfCopies(data), ...halfRestore(data)])];
  if (left.length === 0) return [];
  const problems = left.map(
    (each) =>
      `${relative(data, each)} may have events of erased people: it goes with the next start, erasure or deletion of a project, and with --repair`,
  );
  return [{ what: 'left', project: null, name: null, problems }];
}

/** Damage found earlier, until its report is removed, and damage that the next start would find. */
function journalsOf(folder: string, names: ReadonlyMap<string, string>): Damage[] {
  return [...journalReports(folder), ...findDamage(folder)].flatMap(({ file, projects, records, bytes }) => {
    const problems = [`${file}: ${records} records, ${bytes} bytes cannot be read`];
    const known = projects.map((project) => ({ project, name: names.get(project) ?? null }));
    const whose = known.length > 0 ? known : [{ project: null, name: null }];
    return whose.map((each): Damage => ({ what: 'journal', ...each, problems }));
  });
}

function line({ what, project, name }: Damage): string {
  if (what === 'control') return 'damaged: control database';
  if (what === 'erasures') return 'damaged: log of erasures';
  if (what === 'left') return 'left half made by a process that ended';
  if (project === null) return 'damaged: journal (of an unknown project)';
  if (what === 'journal') return `damaged: journal of project ${project} (${name ?? 'not in the control database'})`;
  return `damaged: project ${project} (${name ?? 'not in the control database'})`;
}
