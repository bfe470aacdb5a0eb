/** Rows of events that are copied: their properties get columns as those of events that come in (ingest/hot-keys.ts). */
import type { StoredEvent } from '../../shards/event.ts';
import type { ClickHouse } from '../client.ts';
import { HotValues } from '../hot/hot-values.ts';
import { readSlots, rowsToNote } from '../hot/stored-slots.ts';
import { eventRow } from '../ingest/event-row.ts';
import { HOT_KEYS } from '../schema.ts';
import { BatchInserts } from './batch-inserts.ts';

export class HotRows {
  readonly #clickHouse: ClickHouse;
  readonly #project: string;
  #values: HotValues;

  private constructor(clickHouse: ClickHouse, project: string, values: HotValues) {
    this.#clickHouse = clickHouse;
    this.#project = project;
    this.#values = values;
  }

  static async open(clickHouse: ClickHouse, project: string): Promise<HotRows> {
    return new HotRows(clickHouse, project, new HotValues(await readSlots(clickHouse, project)));
  }

  /** What follows the arrival in the event's row. Kinds of values that come for the first time are noted before it resolves. */
  async of(event: StoredEvent): Promise<string> {
    for (;;) {
      const row = eventRow(event, this.#values);
      if (this.#values.met.length === 0) return row;
      await this.#note();
    }
  }

  async #note(): Promise<void> {
    const slots = await readSlots(this.#clickHouse, this.#project);
    const inserts = new BatchInserts(this.#clickHouse, HOT_KEYS, this.#project);
    const noted = await rowsToNote(this.#clickHouse, this.#project, { slots, met: this.#values.met });
    for (const row of noted) await inserts.add(row);
    await inserts.end();
    this.#values = new HotValues(await readSlots(this.#clickHouse, this.#project));
  }
}
