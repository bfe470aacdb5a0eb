import { join } from 'node:path';
import { checkControl } from '../../control/check.ts';
import { shardNames } from '../../shards/backup.ts';
import { checkShard } from '../../shards/check.ts';
import { folderCommand } from './admin-command.ts';

interface Damage {
  readonly project: string | null;
  readonly name: string | null;
  readonly problems: readonly string[];
}

export const check = folderCommand({
  usage: 'check',
  summary: 'Verify every file of the data folder; exits 1 and names the projects that are damaged',
  examples: [['wl admin check --data /var/lib/windlass', 'beside a running service, or without one']],
  options: {},
  run: async (_args, { path }) => {
    const control = checkControl(path);
    const shards = shardNames(join(path, 'shards'));
    const damaged = [
      { project: null, name: null, problems: control.problems },
      ...shards.map((file) => checkProject(join(path, 'shards', file), file.replace(/\.db$/, ''), control.projects)),
    ].filter(({ problems }) => problems.length > 0);
    return {
      json: { ok: damaged.length === 0, shards: shards.length, damaged },
      text: damaged.length === 0 ? `ok: control database and ${shards.length} shards` : damaged.map(line).join('\n'),
      problems: damaged.flatMap((each) => each.problems.map((problem) => `${line(each)}: ${problem}`)),
    };
  },
});

function checkProject(file: string, project: string, names: ReadonlyMap<string, string>): Damage {
  return { project, name: names.get(project) ?? null, problems: checkShard(file) };
}

function line({ project, name }: Damage): string {
  if (project === null) return 'damaged: control database';
  return `damaged: project ${project} (${name ?? 'not in the control database'})`;
}
