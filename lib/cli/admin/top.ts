import { setTimeout as sleep } from 'node:timers/promises';
import { requireData } from '../../control/process/check.ts';
import { askTenants, type TenantNow, type TenantsNow } from '../../control/process/operator-socket.ts';
import { UsageError, wholeNumber } from '../command.ts';
import { styleOf } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';
import { folderCommand, tableResult, type CommandResult } from './admin-command.ts';

/** Home, then clear to the end. */
const CLEAR = '\u001B[H\u001B[J';

/** What a project did between two readings, per second, and its current state. */
interface Line extends Pick<TenantNow, 'project_id' | 'project' | 'organization' | 'running' | 'waiting' | 'stored_bytes'> {
  readonly events_per_s: number;
  readonly queries_per_s: number;
  readonly query_seconds_per_s: number;
  readonly refused_per_s: number;
  readonly memory_bytes: number;
} // prettier-ignore

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
  run: (args, { data }, terminal) => {
    requireData(data);
    return watch(args, () => askTenants(data), terminal);
  },
  remote: (args, host, terminal) => watch(args, () => host.ask('GET', '/tenants'), terminal),
});

interface Watched {
  readonly every: string;
  readonly limit: string;
}

async function watch(args: Watched, read: () => Promise<TenantsNow>, terminal: Terminal): Promise<CommandResult> {
  const [seconds, most] = [wholeNumber('every', args.every), wholeNumber('limit', args.limit)];
  if (seconds < 1 || seconds > 3_600) throw new UsageError('--every must be 1 to 3600 seconds');
  const json = 'json' in args && args['json'] === true;
  const stop = terminal.stdout.isTTY === true && !json ? new AbortController() : null;
  const onSignal = (): void => stop?.abort();
  if (stop !== null) process.once('SIGINT', onSignal);
  try {
    for (let before = await read(); await slept(seconds, stop?.signal);) {
      const now = await read();
      const shown = outcome(linesOf(before, now), most);
      if (stop === null) return shown;
      const style = styleOf(terminal.stdout, process.env, false); // each time: the window may have another size now
      terminal.print(CLEAR + (shown.shown?.(style) ?? shown.text));
      before = now;
    }
    return { json: null, text: '' };
  } finally {
    process.off('SIGINT', onSignal);
  }
}

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

const COLUMNS = [
  ...['project', { name: 'organization', rank: 3 }, 'events/s', 'queries/s', { name: 'query s/s', rank: 4 }],
  ...['running', 'waiting', 'refused/s'],
  ...[
    { name: 'memory', type: 'number', rank: 1 },
    { name: 'stored', type: 'number', rank: 2 },
  ],
];

function outcome(lines: readonly Line[], most: number): CommandResult {
  const json = lines.slice(0, most);
  if (json.length === 0) return { json, text: 'No project has done anything since the service started.' };
  const rows = json.map((line) => [
    ...[line.project, line.organization, line.events_per_s, line.queries_per_s, line.query_seconds_per_s],
    ...[line.running, line.waiting, line.refused_per_s, size(line.memory_bytes), size(line.stored_bytes)],
  ]);
  return tableResult(json, { columns: COLUMNS, rows });
}

function linesOf(before: TenantsNow, now: TenantsNow): readonly Line[] {
  const earlier = new Map(before.tenants.map((tenant) => [tenant.project_id, tenant]));
  const seconds = Math.max(0.001, (now.at - before.at) / 1_000);
  const lines = now.tenants.map((tenant) => {
    const { project_id, project, organization, running, waiting, stored_bytes } = tenant;
    const rate = (of: (counts: TenantNow) => number): number => {
      const known = earlier.get(tenant.project_id);
      return rounded((of(tenant) - (known === undefined ? 0 : of(known))) / seconds);
    };
    return {
      ...{ project_id, project, organization, running, waiting, stored_bytes },
      events_per_s: rate(({ events }) => events),
      queries_per_s: rate(({ queries }) => queries),
      query_seconds_per_s: rate(({ query_ms: ms }) => ms / 1_000),
      refused_per_s: rate(({ refused }) => refused),
      memory_bytes: tenant.held_bytes,
    };
  });
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
