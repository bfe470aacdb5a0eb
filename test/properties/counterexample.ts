/** A difference between two subjects, printed as a golden file ready to keep. */
import { printExpected, type Outcome } from '../support/golden-run.ts';
import { printRows } from '../support/print-rows.ts';
import { printWorld } from '../support/print-world.ts';
import type { Answer } from '../oracle/table.ts';
import type { World } from '../oracle/world.ts';
import { NOW } from './worlds.ts';

export interface Difference {
  readonly world: World;
  readonly query: string;
  readonly zone: string;
  readonly expected: Answer;
  readonly actual: Answer;
}

export function printDifference({ world, query, zone, expected, actual }: Difference): string {
  const outcome: Outcome = { lines: printRows(expected, zone, null), total: null, message: null };
  return [
    `the engine answered (${actual.total} in all)`,
    ...printRows(actual, zone, null),
    `and the oracle (${expected.total} in all), as a golden file:`,
    '# Say here what must hold',
    `now: ${new Date(NOW).toISOString()}`,
    '--- events',
    printWorld(world),
    '--- query',
    query,
    ...printExpected({ expected: { kind: 'rows', lines: [] } }, outcome),
  ].join('\n');
}
