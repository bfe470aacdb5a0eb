/** What single events say about their session, as codes; also numbers, of which there are few. */
import { numberText } from '../../dsl/plan/value.ts';
import {
  dictionaryOf,
  GrowingDictionary,
  type CodeArray,
  type ValueDictionary,
  type FieldColumn,
} from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { Attribute } from '../../dsl/plan/session-attribute.ts';
import type { UrlParameters } from './url-parameters.ts';

/** Codes of a dictionary; 0: none. The dictionary is null if all are 0. */
export interface Coded {
  readonly codes: CodeArray;
  readonly dictionary: ValueDictionary | null;
}

/** The values of all rows of a segment; null: no row has one. */
export function codedValues(rows: EventRows, attribute: Attribute, parameters: UrlParameters): Coded | null {
  switch (attribute.of) {
    case 'event_type': {
      const { codes, dictionary } = rows.segment.column('event_type')!;
      return { codes: codes!, dictionary: dictionaryOf(dictionary!) };
    }
    case 'field':
      return coded(rows.field(attribute.field), rows.rows);
    case 'campaign':
      return campaign(rows, attribute.name, parameters);
  }
}

function coded(column: FieldColumn | null, rows: number): Coded | null {
  if (column === null) return null;
  const { codes, dictionary, numbers } = column;
  if (numbers === null) return codes === null || dictionary === null ? null : { codes, dictionary };
  const made = new GrowingDictionary();
  const values = new Uint32Array(rows);
  if (codes !== null && dictionary !== null) {
    translate(values, { codes, dictionary }, (code) => made.code(dictionary.type(code), dictionary.text(code)));
  }
  for (let i = 0; i < numbers.values.length; i++) {
    values[numbers.rows === null ? i : numbers.rows[i]!] = made.code('number', numberText(numbers.values[i]!));
  }
  return { codes: values, dictionary: made };
}

/** The event property if it exists, else the URL parameter. */
function campaign(rows: EventRows, name: string, parameters: UrlParameters): Coded | null {
  const sent = coded(rows.field({ kind: 'event', path: name }), rows.rows);
  const urls = coded(rows.field({ kind: 'enriched', name: '_url' }), rows.rows);
  if (urls === null || urls.dictionary === null) return sent;
  const made = new GrowingDictionary();
  const values = new Uint32Array(rows.rows);
  const parameter = parameters.of(urls.dictionary, name);
  translate(values, urls, (code) => {
    const text = parameter(code);
    return text === '' ? 0 : made.code('string', text);
  });
  const dictionary = sent?.dictionary ?? null;
  if (sent === null || dictionary === null) return made.size === 0 ? null : { codes: values, dictionary: made };
  translate(values, sent, (code) => {
    const [type, text] = [dictionary.type(code), dictionary.text(code)];
    return type === 'null' || (type === 'string' && text === '') ? 0 : made.code(type, text);
  });
  return { codes: values, dictionary: made };
}

/** Writes the translations of codes that are not 0. Translates each code once. */
function translate(values: Uint32Array, { codes, dictionary }: Coded, of: (code: number) => number): void {
  const known = new Int32Array((dictionary?.size ?? 0) + 1).fill(UNKNOWN);
  known[0] = 0;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (known[code] === UNKNOWN) known[code] = of(code);
    if (known[code] !== 0) values[row] = known[code]!;
  }
}

const UNKNOWN = -1;
