/**
 * Properties that have no column of their own. A project may have very many: so each object of the overflow is parsed once for all
 * of its keys, and not once for each key.
 */
import type { Positions } from '../../groups/positions.ts';
import { countsBySlot } from '../../metrics/state-array.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { parseObject } from '../../rows/json-path.ts';
import { overflowOf } from '../../rows/property-column.ts';
import { countCodes } from './count-codes.ts';
import type { FieldValues } from './field-values.ts';
import { propertyField, type PossibleField } from './known-fields.ts';

/** Objects that are parsed between two looks at the deadline. */
const CHECK_EVERY = 256;

/** Adds the values of each field. @param valuesOf null: the field is not asked. */
export function addOverflow(
  rows: EventRows,
  positions: Positions,
  context: QueryContext,
  valuesOf: (known: PossibleField) => FieldValues | null,
): void {
  for (const kind of ['p', 'u'] as const) {
    const overflow = overflowOf(rows.segment, kind);
    if (overflow === null) continue;
    const { codes, dictionary } = overflow;
    const counts = countsBySlot(context);
    counts.resize(dictionary.size + 1);
    countCodes(codes, positions, counts, context);
    const asked = new Map<string, FieldValues | null>();
    for (let code = 1, parsed = 0; code <= dictionary.size; code++) {
      const count = counts.values[code]!;
      if (count === 0 || dictionary.type(code) !== 'object') continue;
      if (parsed++ % CHECK_EVERY === 0) context.checkpoint();
      for (const [key, value] of Object.entries(parseObject(dictionary.text(code)))) {
        if (!asked.has(key)) asked.set(key, valuesOf(propertyField(kind, key)));
        asked.get(key)?.addValue(value, count);
      }
    }
    counts.release();
  }
}
