/**
 * The properties of projects that have columns, as ClickHouse's table has them. Entries are only ever added, by whoever has the
 * project's turn, before the first event with such values is stored.
 */
import { Lru, monotonic } from '../../../../lib/seam.ts';
import type { ClickHouse } from '../client.ts';
import { type ProjectLock, reasonOf } from './project-lock.ts';
import { TableInserts } from './table-inserts.ts';
import { HOT_KEYS } from '../schema.ts';
import type { MetKind, Slots } from '../hot/slots.ts';
import { readSlots, rowsToNote } from '../hot/stored-slots.ts';

interface Known {
  readonly slots: Slots;
  readonly readAt: number;
}

export class HotKeys {
  readonly #clickHouse: ClickHouse;
  readonly #lock: ProjectLock;
  readonly #inserts: TableInserts;
  readonly #known = new Lru<string, Known>(5_000); // projects whose entries are in memory, at most 20 KB each

  /** @param run What ids of inserts begin with. */
  constructor(clickHouse: ClickHouse, lock: ProjectLock, run: string) {
    this.#clickHouse = clickHouse;
    this.#lock = lock;
    this.#inserts = new TableInserts(clickHouse, HOT_KEYS, run);
  }

  /** For rows to be stored: other nodes may have noted more, which `note` finds. */
  async of(project: string): Promise<Slots> {
    return this.#known.peek(project)?.slots ?? this.#read(project);
  }

  /** For questions. */
  async fresh(project: string): Promise<Slots> {
    const known = this.#known.peek(project);
    // How old what a query goes by may be: so late it hears of the first values of a kind that another node has stored.
    return known !== undefined && monotonic() - known.readAt < 1_000 ? known.slots : this.#read(project);
  }

  /** Notes what was met, and gives it columns. Afterwards none of it is news. Rejects with AppError. */
  note(project: string, met: readonly MetKind[]): Promise<Slots> {
    // Who waits is told of a failed insert before it is over.
    const { promise, resolve, reject } = Promise.withResolvers<Slots>();
    const refuse = (error: unknown): void => reject(reasonOf(error));
    const noted = this.#lock.hold(project, 1, async (_, deadline) => {
      try {
        const slots = await this.#read(project);
        await this.#inserts.insert(await rowsToNote(this.#clickHouse, project, { slots, met }), deadline);
        resolve(await this.#read(project));
      } catch (error) {
        refuse(error);
        throw error;
      }
    });
    noted.catch(refuse);
    return promise;
  }

  /** The project is gone. */
  forget(project: string): void {
    this.#known.delete(project);
  }

  async #read(project: string): Promise<Slots> {
    const readAt = monotonic();
    const slots = await readSlots(this.#clickHouse, project);
    this.#known.set(project, { slots, readAt });
    return slots;
  }
}
