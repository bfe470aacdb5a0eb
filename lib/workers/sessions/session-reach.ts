/** How many sessions of a segment's rows have an attribute, as far as its columns show without forming them. */
import type { Reach } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { FieldColumn } from '../rows/field-column.ts';
import type { Attribute } from '../../dsl/plan/session-attribute.ts';

export interface RowRange {
  readonly from: number;
  readonly to: number;
}

export function reachIn(rows: EventRows, range: RowRange, attribute: Attribute): Reach {
  switch (attribute.of) {
    case 'event_type':
      return 'all';
    case 'field':
      return reachOf(rows.field(attribute.field), range);
    case 'campaign': {
      const sent = rows.field({ kind: 'event', path: attribute.name });
      return sent === null && rows.field({ kind: 'enriched', name: '_url' }) === null ? 'none' : 'some';
    }
  }
}

/** What is so of the rows of all segments. */
export function joinReaches(reaches: readonly Reach[]): Reach {
  const [first = 'none'] = reaches;
  return reaches.every((reach) => reach === first) ? first : 'some';
}

/** All rows have a string: then all sessions do. */
function reachOf(column: FieldColumn | null, { from, to }: RowRange): Reach {
  if (column === null) return 'none';
  const { codes, dictionary, numbers } = column;
  if (codes === null || numbers !== null || dictionary?.onlyStrings !== true) return 'some';
  const missing = codes.indexOf(0, from);
  return missing < 0 || missing >= to ? 'all' : 'some';
}
