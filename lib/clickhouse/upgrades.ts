/** What leads from each version of the tables to the next. Every statement can be repeated: one after it may fail. */
import { quoted, tableStatements, USAGE, type Placement } from './schema.ts';

/** The first leads from version 1 to 2. */
export const UPGRADES: readonly ((placement: Placement) => readonly string[])[] = [countUsageByCounter];

/** The table of before, whose rows were added up, stays: it is small, and says what was counted then. */
function countUsageByCounter(placement: Placement): readonly string[] {
  const database = quoted(placement.database);
  const counts = USAGE.columns.slice(4).map(([name]) => name);
  return [
    ...tableStatements(USAGE, placement),
    `INSERT INTO ${database}.${USAGE.name} (project, date, counter, version, ${counts.join(', ')})
SELECT project, date, 'version 1', 1, ${counts.map((name) => `sum(${name})`).join(', ')} FROM ${database}.usage GROUP BY project, date`,
  ];
}
