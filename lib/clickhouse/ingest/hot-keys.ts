/**
 * The properties of projects that have columns, as ClickHouse's table has them. Entries are only ever added, by whoever has the
 * project's turn, before the first event with such values is stored.
 */
import { monotonic } from '../../base/monotonic.ts';
import type { ClickHouse } from '../client.ts';
import type { Deadline, ProjectLock } from './project-lock.ts';
import { InsertFailed, TableInserts } from './table-inserts.ts';
import { HOT_KEYS } from '../schema.ts';
import { Slots, type MetKind, type SlotEntry } from '../hot/slots.ts';

/** How old what a query goes by may be: so late it hears of the first values of a kind that another node has stored. Milliseconds. */
const FRESH = 1_000;
/** Projects whose entries are in memory, at most 20 KB each. */
const MOST_PROJECTS = 5_000;
/** Milliseconds. */
const TIME = 10_000;

interface Known {
  readonly slots: Slots;
  readonly readAt: number;
}

export class HotKeys {
  readonly #clickHouse: ClickHouse;
  readonly #lock: ProjectLock;
  readonly #inserts: TableInserts;
  /** The one that was read last comes last. */
  readonly #known = new Map<string, Known>();

  /** @param run What ids of inserts begin with. */
  constructor(clickHouse: ClickHouse, lock: ProjectLock, run: string) {
    this.#clickHouse = clickHouse;
    this.#lock = lock;
    this.#inserts = new TableInserts(clickHouse, HOT_KEYS, run);
  }

  /** For rows to be stored: other nodes may have noted more, which `note` finds. */
  async of(project: string): Promise<Slots> {
    return this.#known.get(project)?.slots ?? this.#read(project);
  }

  /** For questions. */
  async fresh(project: string): Promise<Slots> {
    const known = this.#known.get(project);
    return known !== undefined && monotonic() - known.readAt < FRESH ? known.slots : this.#read(project);
  }

  /** Notes what was met, and gives it columns. Afterwards none of it is news. Rejects with AppError. */
  note(project: string, met: readonly MetKind[]): Promise<Slots> {
    return this.#lock.hold(project, 1, async (_, deadline) => {
      const slots = await this.#read(project);
      const isClosed = slots.entries.length === 0 && (await this.#hasOthers(project));
      if (isClosed) await this.#insert([rowOf(project, CLOSED, '', null)], deadline);
      else
        await this.#insert(
          slots.assign(met).map(({ kind, key, slot }) => rowOf(project, kind, key, slot)),
          deadline,
        );
      return this.#read(project);
    });
  }

  /** The project is gone. */
  forget(project: string): void {
    this.#known.delete(project);
  }

  async #read(project: string): Promise<Slots> {
    const readAt = monotonic();
    const sql = `SELECT kind, key, any(slot) FROM ${HOT_KEYS.name} WHERE project = {project:String} GROUP BY kind, key`;
    const { rows } = await this.#clickHouse.query({ sql, params: { project } }, { time: TIME });
    const entries = rows.flatMap(([kind, key, slot]): SlotEntry[] =>
      kind === 'text' || kind === 'number'
        ? [{ kind, key: String(key), slot: slot === null ? null : Number(slot) }]
        : [],
    );
    const slots = new Slots(entries, entries.length < rows.length);
    this.#known.delete(project);
    this.#known.set(project, { slots, readAt });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_PROJECTS) break;
      this.#known.delete(oldest);
    }
    return slots;
  }

  /** Whether events were stored without columns, by an earlier release or another way. */
  async #hasOthers(project: string): Promise<boolean> {
    const sql = `SELECT 1 FROM events WHERE project = {project:String} AND NOT is_hot LIMIT 1`;
    return (await this.#clickHouse.query({ sql, params: { project } }, { time: TIME })).rows.length > 0;
  }

  /** Ends only when nothing of it can be stored any more, or all is. */
  async #insert(rows: readonly string[], deadline: Deadline): Promise<void> {
    try {
      await this.#inserts.insert(rows, deadline);
    } catch (error) {
      if (!(error instanceof InsertFailed)) throw error;
      await error.over;
      throw error.reason;
    }
  }
}

const CLOSED = 'closed';

const rowOf = (project: string, kind: string, key: string, slot: number | null): string =>
  `${JSON.stringify([project, kind, key, slot])}\n`;
