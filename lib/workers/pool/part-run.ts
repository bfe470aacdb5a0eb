/** One part of a query in one thread: reads its segments one by one. */
import { zoneOf } from '../../dsl/plan/columns.ts';
import type { Hold } from '../../primitives/columns.ts';
import type { Identity, Segment, SegmentSummary, ShardReader } from '../../shards/shard-reader.ts';
import { Budget } from '../budget.ts';
import { bytesOfEarlier } from '../earlier-rows.ts';
import type { Run } from '../kernels/contract.ts';
import type { PartialResult } from '../kernels/partial-result.ts';
import { observedRange } from '../../dsl/plan/shown-range.ts';
import { kernelOf } from '../kernels/registry.ts';
import type { PartTask, Unseen } from './protocol.ts';
import type { QueryContext } from '../query-context.ts';
import { readRange } from '../plan-parts.ts';
import type { Room } from '../room.ts';
import { EventRows, type MadeDictionaries } from '../rows/event-rows.ts';
import { sharedDictionary, type FieldColumn } from '../rows/field-column.ts';
import type { ProfileDictionaries } from '../rows/profile-dictionaries.ts';
import { EventSessions } from '../sessions/event-sessions.ts';
import { PersonTables } from '../where/person-tables.ts';
import { HeldTables, type Tables } from '../where/test-tables.ts';
import { fieldName } from '../../dsl/plan/fields.ts';
import type { Field, Plan } from '../../dsl/plan/plan.ts';
import { notedFields, numberFields, planUses, storedField } from '../../dsl/plan/plan-uses.ts';
import type { ProfileRows } from '../rows/profile-rows.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { RowSet, RowRange } from '../rows/row-set.ts';
import { BOT, DEVICE_TYPE } from '../../dsl/plan/bots.ts';
import { countEvent } from '../groups/source-rows.ts';

/** What a part needs from its thread. */
export interface PartHost {
  readonly reader: ShardReader;
  readonly tables: Tables;
  profiles(take: (bytes: number) => void): ProfileDictionaries;
  readonly memory: Hold;
  readonly checkpoint: () => void;
  /** What all queries share; null: only the part's own bound applies. */
  readonly room: Room | null;
}

export class PartRun {
  readonly task: PartTask;
  readonly context: QueryContext;
  readonly #kernel;
  readonly #run: Run;
  readonly #observer: Observer;
  readonly #segments: readonly SegmentSummary[];
  readonly #made: MadeDictionaries = new Map();
  readonly #tables: HeldTables;
  /** Rows in the range, of the segments read so far. */
  rows = 0;
  /** Milliseconds of work. */
  ms = 0;

  constructor(task: PartTask, host: PartHost) {
    this.task = task;
    const budget = new Budget(task.memory, task.queryMemory, host.room);
    budget.take(bytesOfEarlier(task.earlier));
    const { memory, reader } = host;
    const isShared = (key: string): boolean => sharedDictionary(reader, key) !== null;
    this.#tables = new HeldTables(host.tables, { budget, memory, isShared });
    this.context = contextOf(task, { ...host, budget, tables: this.#tables });
    this.#kernel = kernelOf(task.plan);
    this.#observer = new Observer(task.plan);
    this.#segments = inOrder(task.segments, this.#kernel.order);
    this.#run = this.#kernel.start(this.context);
    if (task.plan.kind === 'users') this.#seeProfiles();
  }

  readSegments(): void {
    const begun = performance.now();
    for (const { id } of this.#segments) {
      this.context.checkpoint();
      this.#read(this.context.reader.segment(id));
      this.#tables.endSegment();
    }
    this.ms += performance.now() - begun;
  }

  #read(segment: Segment): void {
    const { plan } = this.task;
    const { from, to } = readRange(plan);
    const range = { from: segment.rowAt(from), to: segment.rowAt(to) };
    if (range.from >= range.to) return;
    const rows = new EventRows(segment, this.context, this.#made, range);
    const shown = observedRange(plan);
    this.#observer.seeEvents(rows, { from: segment.rowAt(shown.from), to: segment.rowAt(shown.to) }, this.context);
    this.#run.consume(rows, range);
    this.rows += range.to - range.from;
  }

  partial(): PartialResult {
    return this.#run.partial();
  }

  get unseen(): Unseen {
    return this.#observer.unseen;
  }

  /** Events of bots in the range of the segments read so far; none where the plan keeps them. */
  get bots(): number {
    return this.#observer.bots;
  }

  #seeProfiles(): void {
    const rows = this.context.profiles().rows();
    const { from, to } = this.task.plan.range;
    const range = { from: rows.rowAt(from), to: rows.rowAt(to) };
    this.rows = range.to - range.from;
    this.#observer.seeProfiles(rows, range);
  }
}

function contextOf(task: PartTask, host: PartHost & { readonly budget: Budget }): QueryContext {
  let identity: Identity | null = null;
  let sessions: EventSessions | null = null;
  let profiles: ProfileDictionaries | null = null;
  const sets = new PersonTables(task.persons ?? [], host, () => context.identity().size);
  const context: QueryContext = {
    plan: task.plan,
    zone: zoneOf(task.plan),
    budget: host.budget,
    memory: host.memory,
    maxGroups: task.maxGroups,
    elsewhere: task.elsewhere,
    tables: host.tables,
    sharedDictionary: (key) => sharedDictionary(host.reader, key),
    checkpoint: host.checkpoint,
    personsWho: (field, test) => sets.of(field, test),
    snapshot: task.snapshot,
    slice: task.slice,
    reader: host.reader,
    identity: () => (identity ??= host.reader.identity(task.snapshot.identityVersion)),
    profiles: () => (profiles ??= host.profiles((bytes) => context.budget.take(bytes))),
    sessions: () => (sessions ??= new EventSessions(context)),
  };
  return context;
}

function inOrder(segments: readonly SegmentSummary[], order: 'oldest' | 'newest'): readonly SegmentSummary[] {
  return order === 'oldest'
    ? segments.toSorted((a, b) => a.first - b.first || a.id - b.id)
    : segments.toSorted((a, b) => b.last - a.last || b.id - a.id);
}

/** Notices which events and property fields of a plan have rows in the range; the notes name those that were not seen. */
class Observer {
  #events: readonly string[];
  #fields: readonly Field[];
  /** Fields of which numbers are taken, until one has another value. */
  #numbers: readonly Field[];
  readonly #texts = new Set<string>();
  readonly #countsBots: boolean;
  bots = 0;

  constructor(plan: Plan) {
    this.#countsBots = plan.leavesOutBots === true;
    this.#events = planUses(plan).events;
    this.#fields = notedFields(plan);
    this.#numbers = numberFields(plan).map(({ field }) => storedField(plan, field));
  }

  /** Looks at the rows of the range until everything was seen once. */
  seeEvents(rows: EventRows, range: RowRange, context: QueryContext): void {
    if (range.from >= range.to) return;
    this.#events = this.#events.filter((event) => countEvent(rows, range, event, context) === 0);
    this.#seeFields(rows, range);
    if (this.#countsBots) this.bots += countBots(rows.field(DEVICE_TYPE), range);
  }

  seeProfiles(rows: ProfileRows, range: RowRange): void {
    if (range.from < range.to) this.#seeFields(rows, range);
  }

  get unseen(): Unseen {
    return { events: this.#events, fields: this.#fields.map(fieldName), texts: [...this.#texts] };
  }

  #seeFields(rows: RowSet, range: RowRange): void {
    this.#fields = this.#fields.filter((field) => !hasValue(rows.field(field), range));
    for (const field of this.#numbers) if (hasTexts(rows.field(field), range)) this.#texts.add(fieldName(field));
    this.#numbers = this.#numbers.filter((field) => !this.#texts.has(fieldName(field)));
  }
}

function countBots(column: FieldColumn | null, { from, to }: RowRange): number {
  const { codes = null, dictionary = null } = column ?? {};
  const bot = dictionary?.find?.(BOT) ?? 0;
  if (codes === null || bot === 0) return 0;
  let count = 0;
  for (let row = from; row < to; row++) count += codes[row] === bot ? 1 : 0;
  return count;
}

/** Whether some row of the range has a value other than null: usually the first one. */
function hasValue(column: FieldColumn | null, { from, to }: RowRange): boolean {
  if (column === null) return false;
  const { codes, dictionary, numbers } = column;
  if (numbers !== null) {
    if (numbers.rows === null) return true;
    const place = lowerBound(numbers.rows, from);
    if (place < numbers.rows.length && numbers.rows[place]! < to) return true;
  }
  return hasTexts({ codes, dictionary }, { from, to });
}

/** Whether some row of the range has a value other than null that is not stored as a number. */
function hasTexts(column: Pick<FieldColumn, 'codes' | 'dictionary'> | null, { from, to }: RowRange): boolean {
  const { codes = null, dictionary = null } = column ?? {};
  if (codes === null || dictionary === null) return false;
  for (let row = from; row < to; row++) if (codes[row] !== 0 && dictionary.type(codes[row]!) !== 'null') return true;
  return false;
}
