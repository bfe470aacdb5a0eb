/**
 * Lets go of the index of ids of past months, of which nearly nothing arrived lately: ids are looked for among those of the last 7
 * days only, and what did arrive is found by `INDEX_OF_ARRIVALS`. After the start and every day, by one node for all; parts that are
 * written later have the index again.
 */
import { DAY_MS, ID_WINDOW, threshold } from '../../../lib/seam.ts';
import type { ClickHouse, Rows } from './client.ts';
import { NodeWork, type NodeOptions } from './node-work.ts';
import { EVENTS, IDS, localTable, systemTable } from './schema.ts';

/** Longer than ids count, as clocks of nodes differ. Milliseconds. */
const RECENT = ID_WINDOW + DAY_MS;
/** A month has its index as long as one of so many of its rows arrived lately: more would have to be read for each search. */
const ROWS_PER_RECENT = threshold('pastIds.rowsPerRecent', 1_000, { most: Number.MAX_SAFE_INTEGER });
/** Reads the index of arrivals. Milliseconds. */
const LOOKING = 600_000;

export interface PastIdsOptions extends NodeOptions {
  readonly clickHouse: ClickHouse;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export class PastIds extends NodeWork {
  readonly #options: PastIdsOptions;

  constructor(options: PastIdsOptions) {
    super({
      ...options,
      what: 'past ids',
      every: DAY_MS,
      failed: 'the index of ids of past months could not be let go',
    });
    this.#options = options;
  }

  protected override async act(isClosed: () => boolean): Promise<void> {
    const { clickHouse } = this.#options;
    for (const month of await this.#past()) {
      if (isClosed()) return;
      const table = localTable(EVENTS.name, clickHouse.cluster);
      const sql = `ALTER TABLE ${table} CLEAR PROJECTION IF EXISTS ${IDS} IN PARTITION ID '${month}'`;
      // Takes parts' files away, and rewrites nothing.
      await clickHouse.run({ sql }, { time: 600_000, settings: { mutations_sync: '1' } });
    }
  }

  /** The partitions of months that need it no more. */
  async #past(): Promise<readonly string[]> {
    const indexed = await this.#indexed();
    const lately = await this.#arrivedLately([...indexed.keys()]);
    return [...indexed].flatMap(([month, count]) =>
      (lately.get(month) ?? 0) * ROWS_PER_RECENT.value <= count ? [month] : [],
    );
  }

  /** Months with rows of which the index knows the ids, and how many. */
  async #indexed(): Promise<ReadonlyMap<string, number>> {
    const { clickHouse } = this.#options;
    const { cluster, database } = clickHouse;
    const [table] = localTable(EVENTS.name, cluster).split(' ');
    const sql = `SELECT partition_id, sum(parent_rows) FROM ${systemTable('projection_parts', cluster)}
      WHERE database = {database:String} AND table = {table:String} AND name = {name:String} AND active
      GROUP BY partition_id`;
    const params = { database, table, name: IDS };
    return countsOf(await clickHouse.query({ sql, params }, { time: LOOKING }));
  }

  async #arrivedLately(months: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (months.length === 0) return new Map();
    const sql = `SELECT _partition_id, count() FROM ${EVENTS.name}
      WHERE received > {after:Int64} AND _partition_id IN {months:Array(String)} GROUP BY _partition_id`;
    const after = (this.#options.now?.() ?? Date.now()) - RECENT;
    return countsOf(await this.#options.clickHouse.query({ sql, params: { after, months } }, { time: LOOKING }));
  }
}

const countsOf = ({ rows }: Rows): ReadonlyMap<string, number> =>
  new Map(rows.map(([month, count]) => [String(month), Number(count)]));
