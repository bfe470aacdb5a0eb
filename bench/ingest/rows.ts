/** What `npm run bench:ingest` measures, by row name. */
import type { DataSet } from '../data-set.ts';
import type { WindlassServer } from '../windlass/server.ts';
import { loadBatches, loadBulk, loadIdentifies, loadTrickle, measureParsing } from './load-client.ts';
import type { Target } from './process.ts';
import { measureStdin } from './stdin.ts';

export type Figures = Readonly<Record<string, number>>;

export interface Row {
  /** Projects that get the events, each in its own organization. */
  readonly projects: number;
  readonly measure: (targets: readonly Target[], data: DataSet, server: WindlassServer) => Promise<Figures>;
}

const CONNECTIONS = 8;
const BATCH_EVENTS = 1_000_000;
/** How many of these JSON.parse is measured with: it always does the same. */
const PARSED_EVENTS = 100_000;
const STDIN_EVENTS = 200_000;
const IDENTIFIES = { count: 40_000, connections: 64 };
const TRICKLE = { perSecond: 1_000, seconds: 8 };

export const ROWS: Readonly<Record<string, Row>> = {
  batches100: { projects: 1, measure: ([target], data) => batches(target!, data, 100) },
  batches500: { projects: 1, measure: ([target], data) => batches(target!, data, 500) },
  stream: { projects: 1, measure: ([target], data) => stream(target!, data) },
  stdin: { projects: 2, measure: stdin },
  identify: { projects: 1, measure: ([target]) => identify(target!) },
  trickle: { projects: 300, measure: trickle },
};

async function batches(target: Target, data: DataSet, size: number): Promise<Figures> {
  const options = { file: data.events, events: BATCH_EVENTS, size };
  const before = await measureParsing({ ...options, events: PARSED_EVENTS });
  const { eventsPerSecond, p50, p99 } = await loadBatches(target, { ...options, connections: CONNECTIONS });
  const after = await measureParsing({ ...options, events: PARSED_EVENTS });
  const parse = (before.batches + after.batches) / 2;
  return { 'events/s': eventsPerSecond, 'JSON.parse/s': parse, share: eventsPerSecond / parse, p50, p99 };
}

async function stream(target: Target, data: DataSet): Promise<Figures> {
  const options = { file: data.events, events: BATCH_EVENTS, size: 500 };
  const before = await measureParsing({ ...options, events: PARSED_EVENTS });
  const { accepted, seconds } = await loadBulk(target, '/track', data.events);
  const after = await measureParsing({ ...options, events: PARSED_EVENTS });
  const parse = (before.lines + after.lines) / 2;
  return { 'events/s': accepted / seconds, 'JSON.parse/s': parse, share: accepted / seconds / parse };
}

async function stdin([curled, tracked]: readonly Target[], data: DataSet, { wl }: WindlassServer): Promise<Figures> {
  const seconds = await measureStdin([curled!, tracked!], { file: data.events, events: STDIN_EVENTS, wl });
  return { 'curl s': seconds.curl, 'wl s': seconds.wl, ratio: seconds.wl / seconds.curl };
}

async function identify(target: Target): Promise<Figures> {
  const { perSecond, p50, p99 } = await loadIdentifies(target, IDENTIFIES);
  return { 'identifies/s': perSecond, p50, p99 };
}

async function trickle(targets: readonly Target[], data: DataSet): Promise<Figures> {
  const { p50, p99, later, late } = await loadTrickle(targets, { ...TRICKLE, file: data.events });
  return { p50, p99, 'p99 after 2 s': later, 'sent late, p99': late };
}
