/** What each project does. Counters grow from the start of the service; two readings give what happened in between. */
import { MINUTE_MS } from '../../base/day.ts';
import { Lru } from '../../base/lru.ts';
import type { IncomingMessage } from 'node:http';
import { monotonic } from '../../base/monotonic.ts';

/** Answers that refuse a known project: suspended or over a limit, too much at once, no disk. */
const REFUSALS: ReadonlySet<number> = new Set([403, 429, 503]);

/** On a request: a separate map would be one more thing to collect for each. */
const WHOSE = Symbol('the id of its project');

declare module 'node:http' {
  interface IncomingMessage {
    [WHOSE]?: string;
  }
}

export interface TenantCounts {
  /** Of bodies, as they arrived. */
  readonly bytes: number;
  readonly events: number;
  readonly queries: number;
  /** The time they ran. */
  readonly queryMs: number;
  readonly refused: number;
}

type Counts = { -readonly [K in keyof TenantCounts]: number };

export class TenantLoad {
  /** Projects kept, about 200 bytes each; the one idle for longest is forgotten. */
  readonly #projects = new Lru<string, Counts>(20_000);
  /** Of events, and of query-thread time. */
  readonly shares = { events: new MinuteShare(), queries: new MinuteShare() } as const;

  /** Notes whose request it is. */
  admitted(request: IncomingMessage, projectId: string): void {
    request[WHOSE] = projectId;
  }

  /** null: unknown. */
  projectOf(request: IncomingMessage): string | null {
    return request[WHOSE] ?? null;
  }

  answered(request: IncomingMessage, status: number): void {
    const projectId = request[WHOSE];
    if (projectId !== undefined && REFUSALS.has(status)) this.#of(projectId).refused++;
  }

  received(projectId: string, bytes: number): void {
    this.#of(projectId).bytes += bytes;
  }

  events(projectId: string, accepted: number): void {
    if (accepted === 0) return;
    this.#of(projectId).events += accepted;
    this.shares.events.add(projectId, accepted);
  }

  query(projectId: string, ms: number): void {
    const counts = this.#of(projectId);
    counts.queries++;
    counts.queryMs += ms;
    this.shares.queries.add(projectId, ms);
  }

  /** Those with the largest shares of all events and of all query time since the start, so that they seldom change. */
  largest(most: number): readonly (readonly [projectId: string, counts: TenantCounts])[] {
    if (most === 0) return [];
    const all = [...this.all()];
    const events = all.reduce((sum, [, counts]) => sum + counts.events, 1);
    const ms = all.reduce((sum, [, counts]) => sum + counts.queryMs, 1);
    const share = ({ events: own, queryMs }: TenantCounts): number => own / events + queryMs / ms;
    return all.sort(([, a], [, b]) => share(b) - share(a)).slice(0, most);
  }

  *all(): Generator<readonly [projectId: string, counts: TenantCounts]> {
    for (const id of this.#projects.keys()) yield [id, this.#projects.peek(id)!];
  }

  #of(projectId: string): Counts {
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    const counts = { bytes: 0, events: 0, queries: 0, queryMs: 0, refused: 0 };
    this.#projects.set(projectId, counts);
    return counts;
  }
}

/** The largest share that one id had of something, in the last whole minute. */
export class MinuteShare {
  readonly #now: () => number;
  #began: number;
  #amounts = new Map<string, number>();
  #last = 0;

  /** @param now Milliseconds on a monotonic clock. */
  constructor(now: () => number = monotonic) {
    this.#now = now;
    this.#began = now();
  }

  add(id: string, amount: number): void {
    this.#turn();
    this.#amounts.set(id, (this.#amounts.get(id) ?? 0) + amount);
  }

  /** From 0 to 1; 0: nothing was counted. */
  get largest(): number {
    this.#turn();
    return this.#last;
  }

  #turn(): void {
    const passed = this.#now() - this.#began;
    if (passed < MINUTE_MS) return;
    this.#last = passed < 2 * MINUTE_MS ? largestOf(this.#amounts.values()) : 0;
    this.#amounts = new Map();
    this.#began += passed - (passed % MINUTE_MS);
  }
}

function largestOf(amounts: Iterable<number>): number {
  let [most, sum] = [0, 0];
  for (const amount of amounts) {
    most = Math.max(most, amount);
    sum += amount;
  }
  return sum === 0 ? 0 : most / sum;
}
