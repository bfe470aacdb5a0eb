import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import os from 'node:os';
import { codeOfDisk } from '../../../base/errors.ts';
import { type Config, unknownSettings } from '../../../base/config/config.ts';
import { controlSchemaProblems, checkControl } from '../../../control/process/check.ts';
import { ControlDatabase, SECRET_FILE } from '../../../control/database.ts';
import { DataLock } from '../../../control/process/data-lock.ts';
import { exposed, ofOthers } from '../../../base/files/private-files.ts';
import { journalReports } from '../../../shards/journal/damage.ts';
import { type CommandResult, folderCommand } from '../admin-command.ts';
import { backups, webhookFinding } from './backups.ts';
import { gib, kindOf, roomOf, speedOf, type DoctorFinding } from './disk.ts';
import { descriptorLimit, planDescriptors } from '../../../base/config/descriptors.ts';
import { hasFaultyKeys } from '../../../base/text/read-json.ts';
import { VERSION } from '../../../base/version.ts';
import { wrapTo } from '../../output/display-width.ts';
import { paint } from '../../output/paint.ts';
import type { TableStyle } from '../../output/table.ts';
import { counted, printable } from '../../text.ts';

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
  run: async (_args, config) => {
    const { data } = config;
    const control = checkControl(data);
    const known = control.problems.length > 0 ? [] : [schema(data), ...(await inControl(config))];
    const findings = [
      ...[versions(), keysOfJson(), settings(process.env), reachable(config), memory(config), descriptors(config)],
      ...[permissions(data), owner(data), ...speedOf(data), kindOf(data), roomOf(data), leftOvers(data)],
      finding('control database', control.problems.join('; '), 'restore a backup: `wl admin restore`'),
      ...known,
      server(data),
    ];
    return told({ ok: findings.every(({ mend }) => mend === null), findings });
  },
  remote: async (_args, host) => told(await host.ask('GET', '/health', { slow: true })),
});

function told(json: { readonly ok: boolean; readonly findings: readonly DoctorFinding[] }): CommandResult {
  const { findings } = json;
  return {
    json,
    text: findings.map(({ check, found, mend }) => `${mend === null ? 'ok  ' : 'MEND'}  ${check}: ${found}`).join('\n'),
    shown: (style) => findingLines(findings, style).join('\n'),
    problems: findings.flatMap(({ check, mend }) => (mend === null ? [] : [`${check}: ${mend}`])),
  };
}

/** A line for each finding, those to mend with what to do below them, and how many there are of each. */
function findingLines(findings: readonly DoctorFinding[], { width, color }: TableStyle): readonly string[] {
  const brush = paint(color);
  const names = Math.max(...findings.map(({ check }) => (check.length > LONGEST_CHECK ? 0 : check.length)));
  const indent = ' '.repeat(names + 4);
  const lines = findings.flatMap(({ check, found, mend }) => {
    const mark = mend === null ? brush.green('✓') : brush.yellow('!');
    const told = wrapTo(printable(found), width - indent.length);
    const [first, rest] = check.length > LONGEST_CHECK ? ['', told] : [told[0] ?? '', told.slice(1)];
    const advice = mend === null ? [] : wrapTo(printable(mend), width - indent.length).map(brush.bold);
    return [
      `${mark} ${printable(check).padEnd(names)}  ${first}`.trimEnd(),
      ...[...rest, ...advice].map((line) => indent + line),
    ];
  });
  const wrong = findings.filter(({ mend }) => mend !== null).length;
  const end = wrong === 0 ? 'Nothing to mend' : `${wrong} to mend`;
  return [...lines, '', brush.dim(`${end}, ${findings.length - wrong} in order`)];
}

/** Longer names, which have a path in them, stand alone on their line. */
const LONGEST_CHECK = 20;

async function inControl(config: Config): Promise<readonly DoctorFinding[]> {
  const { data, secret } = config;
  if (secret === null && !existsSync(join(data, SECRET_FILE))) {
    const mend = 'run it with the settings of the service: WINDLASS_SECRET is missing';
    return [finding('backups and webhooks', 'not looked at', mend)];
  }
  await using control = await ControlDatabase.open(data, { secret });
  const { operator } = control;
  // Messages to check: as many as are kept.
  return [...(await backups(config, operator)), webhookFinding(config, await operator.webhooks.list(1_000))];
}

/** `trouble`: '' for none, and then `good` is told. `mend` null: only informs. */
function finding(check: string, trouble: string, mend: string | null, good = 'good'): DoctorFinding {
  return { check, found: trouble === '' ? good : trouble, mend: trouble === '' ? null : mend };
}

function schema(data: string): DoctorFinding {
  const mend = 'drop what was added, or make what is missing: as it is, no restore takes a backup of it';
  return finding('control schema', controlSchemaProblems(data).join('; '), mend);
}

function server(data: string): DoctorFinding {
  try {
    return finding('server', DataLock.isHeld(data) ? '' : 'none runs on this folder', null, 'runs on this folder');
  } catch (error) {
    const code = codeOfDisk(error);
    if (code === null) throw error;
    return finding('server', `its lock cannot be read (${code})`, 'mend what is found of disk, permissions and owner');
  }
}

function permissions(data: string): DoctorFinding {
  const open = exposed(data).map(({ path, mode }) => `${path} (${mode})`);
  return finding('permissions', open.join(', '), `other accounts can read the data folder: \`chmod -R go= ${data}\``);
}

function owner(data: string): DoctorFinding {
  const mend = `give all files to the account of the service: \`chown -R --reference=${data} ${data}\``;
  return finding('owner', ofOthers(data).join(', '), mend);
}

/** Leftovers: data that a restore replaced, and reports of journal damage not yet removed. */
function leftOvers(data: string): DoctorFinding {
  const replaced = readdirSync(data).filter((name) => name.startsWith('replaced-'));
  const journal = join(data, 'journal');
  const damaged = existsSync(journal) ? journalReports(journal).map(({ file }) => join('journal', file)) : [];
  const mend =
    'remove the data replaced by a restore when you no longer need it; `wl admin check` says what a damaged journal lost';
  return finding('left over', [...replaced, ...damaged].join(', '), mend, 'nothing');
}

/** Share of the machine's memory: the rest is for the file system cache and other programs. */
const MOST_MEMORY = 0.75;
const FEW_CONNECTIONS = 400;

function versions(): DoctorFinding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 22 || (major === 22 && minor < 12);
  const found = `Windlass ${VERSION}, Node ${process.versions.node}, ${os.type()} ${os.release()} ${os.arch()}`;
  return { check: 'versions', found, mend: old ? 'use Node 22.12 or later' : null };
}

/** Only informs: nothing here depends on it. */
function keysOfJson(): DoctorFinding {
  const found = hasFaultyKeys()
    ? 'JSON.parse of this Node may misread keys with escapes (nodejs/node#63785), so Windlass reads those itself'
    : 'JSON.parse of this Node reads keys with escapes as they are';
  return { check: 'JSON', found, mend: null };
}

function settings(env: NodeJS.ProcessEnv): DoctorFinding {
  const unknown = unknownSettings(env);
  const set = Object.keys(env).filter((name) => name.startsWith('WINDLASS_')).length;
  const found = `${counted(set, 'WINDLASS_ variable')} set here; the service may have others`;
  const mend = unknown.length > 0 ? `fix these settings, which have no effect: ${unknown.join(', ')}` : null;
  return { check: 'settings', found, mend };
}

function reachable({ addr, url, trustedProxies }: Config): DoctorFinding {
  const open = !/^(?:127\.|::1$|localhost$)/.test(addr.host);
  const found = `listens on ${addr.host}, public address ${url ?? 'not set'}`;
  if (open && (url === null || url.startsWith('http:'))) {
    const mend = 'put a TLS proxy in front and set WINDLASS_URL to its https address: keys travel unencrypted';
    return { check: 'address', found, mend };
  }
  const alone = !open && url !== null && url.startsWith('https:') && trustedProxies.length === 0;
  const mend = alone ? "set WINDLASS_TRUSTED_PROXIES to the proxy's addresses, or all clients have one address" : null;
  return { check: 'address', found, mend };
}

function memory({ memory: bytes }: Config): DoctorFinding {
  const all = os.totalmem();
  const mend = bytes > all * MOST_MEMORY ? 'lower WINDLASS_MEMORY, or the kernel may kill the service' : null;
  return { check: 'memory', found: `WINDLASS_MEMORY ${gib(bytes)} of ${gib(all)}`, mend };
}

function descriptors(config: Config): DoctorFinding {
  const limit = descriptorLimit();
  const { connections } = planDescriptors(limit, config);
  const mend = connections < FEW_CONNECTIONS ? 'raise `ulimit -n` (LimitNOFILE in systemd)' : null;
  return { check: 'descriptors', found: `${limit}, of which ${connections} for connections`, mend };
}
