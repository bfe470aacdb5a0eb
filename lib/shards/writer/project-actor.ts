/**
 * A project in the writer is an actor: one state, one inbox. It does one thing in each of its turns, and what it does with a message
 * depends on its state alone (writer.ts). docs/architecture/writing.md has the table of states.
 */
import type { AppError } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { Steps, StoreCall } from '../steps.ts';
import type { UnsealedRecords } from '../journal/unsealed-records.ts';
import type { StoreTask } from '../seal/store-tasks.ts';
import type { AppendAnswer, AppendMessage, WriterMessage } from '../writer-messages.ts';
import type { ShardWriter } from './shard-writer.ts';
import { threshold } from '../../base/threshold.ts';
import type { RequestScope } from '../ingest/request-scope.ts';
import type { Recorded } from '../ingest/rows/pending-rows.ts';

/** A message about a project. */
export type ProjectMessage = Exclude<WriterMessage, { op: 'close' }>;

/** What keeps a project busy: a task of the store thread, or an erasure, which has the file between `freeze` and `thaw`. */
type Task = StoreTask['op'] | 'erasure';

/** The messages that a busy project processes nevertheless: events while a seal is under way that nobody waits for. */
type Admitted = 'appends' | 'thaw' | 'nothing';

/** A state that is not busy. */
type Settled = Exclude<ProjectState, { readonly kind: 'busy' }>;

/** What a project needs to continue: another slice of time, or work that another thread may do. */
export type LoadStep = 'slice' | 'index' | 'seal' | StoreCall;
export type LoadSteps = Generator<LoadStep, void, undefined>;

export type ProjectState =
  /** Not in memory. The journal may have records that its file lacks. */
  | { readonly kind: 'cold' }
  /** Its shard is being loaded, and its records in the journal are replayed into it, in slices of time. */
  | { readonly kind: 'loading'; readonly steps: LoadSteps }
  /** Its shard is in memory. */
  | { readonly kind: 'open' }
  /** Another thread works on its file. `before`: the state to which it returns. */
  | { readonly kind: 'busy'; readonly task: Task; readonly admits: Admitted; readonly before: Settled }
  /** Acknowledged records cannot be replayed: answers would be wrong, so none are given until the next start. */
  | { readonly kind: 'broken'; readonly error: AppError };

/** What has the next turn without waiting for those of others: it is short, and nobody asks for it in a loop. */
const URGENT: ReadonlySet<WriterMessage['op']> = new Set(['snapshot', 'extent', 'purge', 'compacted', 'retain']); // prettier-ignore

/** The same, after all that came before: nothing of a project may follow its removal. */
const FINAL: ReadonlySet<WriterMessage['op']> = new Set(['drop', 'freeze', 'replace']);

const COLD: ProjectState = { kind: 'cold' };
const OPEN: ProjectState = { kind: 'open' };

/** The owner of a project of which only the id is known. */
const unknownTenant = (project: string): Tenant => ({ id: project, orgId: project, weight: 1 });

export class ProjectActor {
  readonly id: string;
  /** Its owner; before the first request it names only the project. */
  tenant: Tenant;
  state: ProjectState = COLD;
  /** Loaded; null if it is cold. */
  shard: ShardWriter | null = null;
  /** What the journal has of it, and neither its file nor the memory; null: nothing. */
  records: UnsealedRecords | null = null;
  /** The request that is being read; the others wait in the inbox. */
  request: ReadRequest | null = null;
  /** What the request or the loading waits for. */
  call: StoreCall | null = null;
  /** After a failed seal: when it may be retried. By `monotonic()`. */
  sealAfter = 0;
  /** After a failed compaction: when it may be retried; Infinity: one is under way. */
  compactAfter = 0;
  /** Whether it is in the queue of turns. */
  isQueued = false;
  readonly #inbox: ProjectMessage[] = [];
  /** Number of messages at the head of the inbox that do not wait for the turns of others. */
  #urgent = 0;

  constructor(id: string) {
    this.id = id;
    this.tenant = unknownTenant(id);
  }

  /** Adds a message to the inbox. */
  receive(message: ProjectMessage): void {
    if (typeof message.project !== 'string') this.tenant = message.project;
    if (message.op === 'thaw') this.putBack(message);
    else if (URGENT.has(message.op)) this.#inbox.splice(this.#urgent++, 0, message);
    else this.#inbox.push(message);
    if (FINAL.has(message.op)) this.#urgent = this.#inbox.length;
  }

  /** Takes the next message out of the inbox. */
  take(): ProjectMessage {
    const next = this.#inbox.shift();
    if (next === undefined) throw new Error(`${this.id} has no message`);
    if (this.#urgent > 0) this.#urgent--;
    return next;
  }

  /** The next message comes before all others: it was taken, and something else must be done first. */
  putBack(message: ProjectMessage): void {
    this.#inbox.unshift(message);
    if (this.#urgent > 0 || message.op === 'thaw' || URGENT.has(message.op) || FINAL.has(message.op)) this.#urgent++;
  }

  get next(): ProjectMessage | undefined {
    return this.#inbox[0];
  }

  get isUrgent(): boolean {
    return this.#urgent > 0;
  }

  /** Whether it has something to do in a turn. */
  get isReady(): boolean {
    if (this.call !== null) return false;
    if (this.request !== null) return true;
    const { next, state } = this;
    switch (state.kind) {
      case 'loading':
        return true;
      case 'busy':
        return next !== undefined && admits(state.admits, next);
      case 'cold':
      case 'open':
      case 'broken':
        return next !== undefined;
      default:
        return unreachable(state);
    }
  }

  /** Whether it is loaded, and nothing is under way: it may be sealed. */
  get isIdle(): boolean {
    return this.state.kind === 'open' && this.request === null;
  }

  /** Whether something is under way that ends by itself. */
  get isUnderWay(): boolean {
    const { state } = this;
    return this.request !== null || state.kind === 'loading' || (state.kind === 'busy' && state.task !== 'erasure');
  }

  /** Whether all of it is in its file, and it has nothing to do: nothing need be known of it. */
  get isForgettable(): boolean {
    return this.isWhole && this.#inbox.length === 0;
  }

  /** Whether it is cold, and its file has all that was acknowledged. */
  get isWhole(): boolean {
    return this.state.kind === 'cold' && this.records === null;
  }

  /** Whether it has records that nothing replays. */
  get isWaiting(): boolean {
    return this.state.kind === 'cold' && this.records !== null;
  }

  /** The loaded shard. Throws if there is none. */
  get loaded(): ShardWriter {
    if (this.shard === null) throw new Error(`${this.id} is ${this.state.kind}, and its shard is used`);
    return this.shard;
  }

  /** cold, loading → open. */
  opened(shard: ShardWriter): void {
    this.shard = shard;
    this.state = OPEN;
  }

  /** Its shard leaves the memory. */
  evicted(): void {
    this.shard = null;
    this.state = COLD;
    this.sealAfter = 0;
    this.compactAfter = 0;
  }

  /** Its file belongs to somebody else, until `done`. */
  busy(task: Task, admitted: Admitted): void {
    const { state } = this;
    if (state.kind === 'busy') throw new Error(`${this.id} has a ${state.task}, and a ${task} begins`);
    this.state = { kind: 'busy', task, admits: admitted, before: state };
  }

  done(): void {
    const { state } = this;
    if (state.kind !== 'busy') throw new Error(`${this.id} is ${state.kind}, and a task ends`);
    this.state = state.before;
  }
}

/** Undoing a binding reads the file; other events and identifies change only what is in memory. */
function admits(admitted: Admitted, message: ProjectMessage): boolean {
  if (admitted === 'appends') return isEvents(message);
  return admitted === 'thaw' && message.op === 'thaw';
}

const isEvents = (message: ProjectMessage): message is AppendMessage =>
  message.op === 'append' && message.kind !== 'unbind';

export const projectIdOf = (message: ProjectMessage): string =>
  typeof message.project === 'string' ? message.project : message.project.id;

/** How long others wait at most while a body is read. Milliseconds. */
export const SLICE = threshold('milliseconds of a slice', 2, { least: 0 });

/** Into the rows of its project (request-steps.ts), or to its records in the journal alone (cold-appends.ts). */
export interface RequestTarget {
  /** Reads the body. */
  readonly shard: ShardWriter;
  /** Called once it was read and goes to the journal. */
  readonly kept: (scope: RequestScope) => void;
  /** Called once it is on disk; returns the properties that were ignored. */
  readonly commit: (scope: RequestScope, recorded: Recorded) => readonly string[];
  /** Called if it is not kept. Later requests build on its rows: those are rolled back before. */
  readonly rollback: (scope: RequestScope) => void;
}

/** A request that is being read. */
export interface ReadRequest {
  readonly message: AppendMessage;
  readonly target: RequestTarget;
  readonly scope: RequestScope;
  /** Inflated. */
  readonly body: Uint8Array;
  readonly steps: Steps<AppendAnswer>;
}
