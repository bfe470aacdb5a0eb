/** The shards of test projects, the same in every thread. */
import { JANUARY } from '../dsl/plans.ts';
import { MemoryShard, type MemoryEvent } from './memory-reader.ts';

/** Number of rows in `prj_wide`. */
export const WIDE = 20_000;

const HOUR = 3_600_000;
const shards = new Map<string, MemoryShard>();

export function projectShard(project: string): MemoryShard {
  const known = shards.get(project) ?? makeShard(project);
  shards.set(project, known);
  return known;
}

function makeShard(project: string): MemoryShard {
  const wide = project.startsWith('prj_wide');
  const rows = wide ? WIDE : 200;
  const perSegment = project.startsWith('prj_slow') ? 1 : wide ? WIDE / 2 : 100;
  const events = Array.from({ length: rows }, (_, arrival): MemoryEvent => eventOf(arrival, wide));
  return new MemoryShard(events, [], { segmentOf: ({ arrival }) => Math.floor(arrival / perSegment) + 1 });
}

function eventOf(arrival: number, wide: boolean): MemoryEvent {
  const userId = `u${wide ? arrival : arrival % 7}`;
  return {
    arrival,
    time: JANUARY + (wide ? arrival * 1_000 : arrival * HOUR),
    type: arrival % 3 === 0 ? 'a' : 'b',
    userId,
    deviceId: null,
    sessionId: null,
    insertId: `i${arrival}`,
    properties: { text: wide ? `text ${arrival}` : 'one', number: arrival },
    userProperties: {},
    enriched: {},
    distinctId: userId,
  };
}
