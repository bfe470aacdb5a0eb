import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, type Config } from '../../../base/config/config.ts';
import { checkControl } from '../../../control/process/check.ts';
import { ControlDatabase } from '../../../control/database.ts';
import { DataLock } from '../../../control/process/data-lock.ts';
import { SECRET_FILE } from '../../../control/storage/secret-file.ts';
import { exposed } from '../../../base/files/private-files.ts';
import { journalReports } from '../../../shards/journal/damage.ts';
import { folderCommand } from '../admin-command.ts';
import { backups } from './backups.ts';
import { kindOf, roomOf, speedOf } from './disk.ts';
import type { Finding } from './finding.ts';
import { descriptors, memory, reachable, settings, versions } from './host.ts';
import { webhooks } from './webhooks.ts';

/** Messages to check: as many as are kept. */
const MESSAGES = 1_000;

export const doctor = folderCommand({
  usage: 'doctor',
  summary:
    'Check versions, settings, permissions, clock, disk, backups and webhooks, and say what to fix; exits with 1 if something is wrong',
  examples: [
    [
      'wl admin doctor --data /var/lib/windlass',
      'beside a running service: it writes 32 MiB there, and an object to a bucket of backups, and removes them',
    ],
  ],
  options: {},
  run: async (_args, { path }) => {
    const config = readConfig(process.env, { data: path });
    const control = checkControl(path);
    const known = control.problems.length > 0 ? [] : await inControl(config);
    const findings = [
      ...[versions(), settings(process.env), reachable(config), memory(config), descriptors(config)],
      ...[permissions(path), ...speedOf(path), kindOf(path), roomOf(path), leftOvers(path)],
      finding('control database', control.problems.join('; '), 'restore a backup: `wl admin restore`'),
      ...known,
      finding('server', DataLock.isHeld(path) ? '' : 'none runs on this folder', null),
    ];
    return {
      json: { ok: findings.every(({ mend }) => mend === null), findings },
      text: findings
        .map(({ check, found, mend }) => `${mend === null ? 'ok  ' : 'MEND'}  ${check}: ${found}`)
        .join('\n'),
      problems: findings.flatMap(({ check, mend }) => (mend === null ? [] : [`${check}: ${mend}`])),
    };
  },
});

/** Checks what the control database knows of the world. */
async function inControl(config: Config): Promise<readonly Finding[]> {
  const { data, secret } = config;
  if (secret === null && !existsSync(join(data, SECRET_FILE))) {
    const mend = 'run it with the settings of the service: WINDLASS_SECRET is missing';
    return [finding('backups and webhooks', 'not looked at', mend)];
  }
  await using control = await ControlDatabase.open(data, { secret });
  const { operator } = control;
  return [...(await backups(config, operator)), webhooks(config, await operator.webhooks.list(MESSAGES))];
}

/** `trouble`: '' for none. `mend` null: only informs. */
function finding(check: string, trouble: string, mend: string | null): Finding {
  return { check, found: trouble === '' ? 'good' : trouble, mend: trouble === '' ? null : mend };
}

function permissions(data: string): Finding {
  const open = exposed(data).map(({ path, mode }) => `${path} (${mode})`);
  return finding('permissions', open.join(', '), 'take the rights of others away: `chmod -R go= ` the data folder');
}

/** Leftovers: data that a restore replaced, and reports of journal damage not yet removed. */
function leftOvers(data: string): Finding {
  const replaced = readdirSync(data).filter((name) => name.startsWith('replaced-'));
  const journal = join(data, 'journal');
  const damaged = existsSync(journal) ? journalReports(journal).map(({ file }) => join('journal', file)) : [];
  const mend =
    'remove the data replaced by a restore when you no longer need it; `wl admin check` says what a damaged journal lost';
  return finding('left over', [...replaced, ...damaged].join(', '), mend);
}
