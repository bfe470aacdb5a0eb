import { fileSize } from '../../base/files/file-size.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireData } from '../../control/process/check.ts';
import { ControlDatabase } from '../../control/database.ts';
import { askTenants, type TenantNow, type TenantsNow } from '../../control/process/operator-socket.ts';
import { shardPath } from '../../shards/file/shard-file.ts';
import { UsageError, wholeNumber } from '../command.ts';
import { tableText } from '../text.ts';
import type { Config } from '../../base/config/config.ts';
import { folderCommand, type CommandResult } from './admin-command.ts';

/** Home, then clear to the end. */
const CLEAR = '\u001B[H\u001B[J';

/** What a project did between two readings, per second, and its current state. */
interface Line extends Pick<TenantNow, 'project_id' | 'running' | 'waiting'> {
  readonly project: string;
  readonly organization: string;
  readonly events_per_s: number;
  readonly queries_per_s: number;
  readonly query_seconds_per_s: number;
  readonly refused_per_s: number;
  readonly memory_bytes: number;
  readonly stored_bytes: number;
}

export const top = folderCommand({
  usage: 'top',
  summary: 'Show current resource use by project, busiest first; live at a terminal, until Ctrl-C',
  examples: [
    ['wl admin top', 'live, updated every two seconds'],
    ['wl admin top --json --every 10', 'once, averaged over ten seconds'],
  ],
  options: {
    every: { type: 'string', requiresArg: true, default: '2', describe: 'Interval to measure, in seconds' },
    limit: { type: 'string', requiresArg: true, default: '20', describe: 'Number of projects to show' },
  },
  run: async ({ every, limit, ...args }, config, terminal) => {
    requireData(config.data);
    const [seconds, most] = [wholeNumber('every', every), wholeNumber('limit', limit)];
    if (seconds < 1 || seconds > 3_600) throw new UsageError('--every must be 1 to 3600 seconds');
    const json = 'json' in args && args['json'] === true;
    const stop = terminal.stdout.isTTY === true && !json ? new AbortController() : null;
    const onSignal = (): void => stop?.abort();
    if (stop !== null) process.once('SIGINT', onSignal);
    try {
      for (let before = await askTenants(config.data); await slept(seconds, stop?.signal);) {
        const now = await askTenants(config.data);
        const shown = outcome(await linesOf(config, before, now), most);
        if (stop === null) return shown;
        terminal.print(CLEAR + shown.text);
        before = now;
      }
      return { json: null, text: '' };
    } finally {
      process.off('SIGINT', onSignal);
    }
  },
});

/** False: Ctrl-C. */
async function slept(seconds: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await sleep(seconds * 1_000, undefined, signal === undefined ? {} : { signal });
    return true;
  } catch (error) {
    if (signal?.aborted === true) return false;
    throw error;
  }
}

function outcome(lines: readonly Line[], most: number): CommandResult {
  const shown = lines.slice(0, most);
  const columns = ['project', 'organization', 'events/s', 'queries/s', 'query s/s', 'running', 'waiting', 'refused/s'];
  const rows = shown.map((line) => [
    ...[line.project, line.organization, line.events_per_s, line.queries_per_s, line.query_seconds_per_s],
    ...[line.running, line.waiting, line.refused_per_s, size(line.memory_bytes), size(line.stored_bytes)],
  ]);
  const text =
    rows.length === 0
      ? 'No project has done anything since the service started.'
      : tableText([...columns, 'memory', 'stored'], rows);
  return { json: shown, text };
}

async function linesOf({ data, secret }: Config, before: TenantsNow, now: TenantsNow): Promise<readonly Line[]> {
  await using control = await ControlDatabase.open(data, { secret });
  const names = new Map((await control.organizations.list()).map(({ id, name }) => [id, name]));
  const earlier = new Map(before.tenants.map((tenant) => [tenant.project_id, tenant]));
  const seconds = Math.max(0.001, (now.at - before.at) / 1_000);
  const lines: Line[] = [];
  for (const tenant of now.tenants) {
    const project = await control.projects.find(tenant.project_id);
    if (project === null) continue; // it was deleted
    const rate = (of: (counts: TenantNow) => number): number => {
      const known = earlier.get(tenant.project_id);
      return rounded((of(tenant) - (known === undefined ? 0 : of(known))) / seconds);
    };
    lines.push({
      ...{ project_id: project.id, project: project.name, organization: names.get(project.orgId) ?? project.orgId },
      events_per_s: rate(({ events }) => events),
      queries_per_s: rate(({ queries }) => queries),
      query_seconds_per_s: rate(({ query_ms: ms }) => ms / 1_000),
      ...{ running: tenant.running, waiting: tenant.waiting },
      refused_per_s: rate(({ refused }) => refused),
      memory_bytes: tenant.held_bytes,
      stored_bytes: fileSize(shardPath(data, project.id)),
    });
  }
  return lines.sort(
    (a, b) =>
      b.query_seconds_per_s - a.query_seconds_per_s ||
      b.events_per_s - a.events_per_s ||
      b.stored_bytes - a.stored_bytes,
  );
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
