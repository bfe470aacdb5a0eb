/** Which properties of a project have columns, as table `hot_keys` has it: entries are only ever added. */
import type { ClickHouse } from '../client.ts';
import { HOT_KEYS } from '../schema.ts';
import { Slots, type MetKind, type SlotEntry } from './slots.ts';

/** Milliseconds. */
const TIME = 10_000;
const CLOSED = 'closed';

export async function readSlots(clickHouse: ClickHouse, project: string): Promise<Slots> {
  const sql = `SELECT kind, key, any(slot) FROM ${HOT_KEYS.name} WHERE project = {project:String} GROUP BY kind, key`;
  const { rows } = await clickHouse.query({ sql, params: { project } }, { time: TIME });
  const entries = rows.flatMap(([kind, key, slot]): SlotEntry[] =>
    kind === 'text' || kind === 'number' ? [{ kind, key: String(key), slot: slot === null ? null : Number(slot) }] : [],
  );
  return new Slots(entries, entries.length < rows.length);
}

/**
 * The rows to insert before the first event that has what was met. `slots` must be all that the table has of the project, and nobody
 * else may insert any.
 */
export async function rowsToNote(
  clickHouse: ClickHouse,
  project: string,
  { slots, met }: { readonly slots: Slots; readonly met: readonly MetKind[] },
): Promise<readonly string[]> {
  const isClosed = slots.entries.length === 0 && (await hasOthers(clickHouse, project));
  if (isClosed) return [rowOf(project, CLOSED, '', null)];
  return slots.assign(met).map(({ kind, key, slot }) => rowOf(project, kind, key, slot));
}

/** Whether events were stored without columns, by an earlier release or another way. */
async function hasOthers(clickHouse: ClickHouse, project: string): Promise<boolean> {
  const sql = `SELECT 1 FROM events WHERE project = {project:String} AND NOT is_hot LIMIT 1`;
  return (await clickHouse.query({ sql, params: { project } }, { time: TIME })).rows.length > 0;
}

const rowOf = (project: string, kind: string, key: string, slot: number | null): string =>
  `${JSON.stringify([project, kind, key, slot])}\n`;
