/** What linked to the first events of sessions: nothing where that was a page of their own host. */
import { kept } from '../../base/kept.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { ValueDictionary } from '../rows/field-column.ts';

interface Referrers {
  /** One for each of the rows; 0: none. */
  readonly codes: Uint32Array;
  /** null if all codes are 0. */
  readonly dictionary: ValueDictionary | null;
}

/** A field of these rows that tells of the page that linked to them. */
export function referrers(
  events: EventRows,
  field: Field,
  { rows, context }: { readonly rows: Uint32Array; readonly context: QueryContext },
): Referrers {
  const values = new Uint32Array(rows.length);
  const found = events.field(field);
  if (!found?.codes || !found.dictionary) return { codes: values, dictionary: null };
  const { codes, dictionary } = found;
  const { passes } = context.tables.of({ op: 'exists' }, dictionary, context.checkpoint);
  const isOwn = linkedFromItself(events);
  for (const [at, row] of rows.entries()) {
    const code = codes[row]!;
    if (passes[code] === 1 && !isOwn(row)) values[at] = code;
  }
  return { codes: values, dictionary };
}

/** Tells whether the page that linked to a row is of the row's own host. */
function linkedFromItself(events: EventRows): (row: number) => boolean {
  const domains = events.field({ kind: 'enriched', name: '_referrer_domain' });
  const hosts = events.field({ kind: 'enriched', name: '_hostname' });
  if (!domains?.codes || !domains.dictionary || !hosts?.codes || !hosts.dictionary) return () => false;
  const { codes: from, dictionary: texts } = domains;
  const { codes: to, dictionary: names } = hosts;
  /** By code of a host: the same text as a domain of referrers; 0 where none is. */
  const own = new Map<number, number>();
  const domainOf = (host: number): number => kept(own, host, () => texts.find?.(names.text(host)) ?? 0);
  return (row) => from[row] !== 0 && to[row] !== 0 && from[row] === domainOf(to[row]!);
}
