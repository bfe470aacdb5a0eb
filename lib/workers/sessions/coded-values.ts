/** What single events say of their session, as codes: numbers too, which are few here. */
import { numberText } from '../../dsl/value.ts';
import { bookOf, ValueBook, type CodeArray, type Codebook, type FieldColumn } from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { Attribute } from './attribute.ts';
import type { UrlParameters } from './url-parameters.ts';

/** Codes of a book; 0: none. The book is null where all are 0. */
export interface Coded {
  readonly codes: CodeArray;
  readonly book: Codebook | null;
}

/** The values of all rows of a segment; null: no row has one. */
export function codedValues(rows: EventRows, attribute: Attribute, parameters: UrlParameters): Coded | null {
  switch (attribute.of) {
    case 'event_type': {
      const { codes, dictionary } = rows.segment.column('event_type')!;
      return { codes: codes!, book: bookOf(dictionary!) };
    }
    case 'field':
      return coded(rows.field(attribute.field), rows.rows);
    case 'campaign':
      return campaign(rows, attribute.name, parameters);
  }
}

function coded(column: FieldColumn | null, rows: number): Coded | null {
  if (column === null) return null;
  const { codes, book, numbers } = column;
  if (numbers === null) return codes === null || book === null ? null : { codes, book };
  const made = new ValueBook();
  const values = new Uint32Array(rows);
  if (codes !== null && book !== null) {
    translate(values, { codes, book }, (code) => made.code(book.type(code), book.text(code)));
  }
  for (let i = 0; i < numbers.values.length; i++) {
    values[numbers.rows === null ? i : numbers.rows[i]!] = made.code('number', numberText(numbers.values[i]!));
  }
  return { codes: values, book: made };
}

/** The event property where it exists, else the parameter of the URL. */
function campaign(rows: EventRows, name: string, parameters: UrlParameters): Coded | null {
  const sent = coded(rows.field({ kind: 'event', path: name }), rows.rows);
  const urls = coded(rows.field({ kind: 'enriched', name: '_url' }), rows.rows);
  if (urls === null || urls.book === null) return sent;
  const made = new ValueBook();
  const values = new Uint32Array(rows.rows);
  const parameter = parameters.of(urls.book, name);
  translate(values, urls, (code) => {
    const text = parameter(code);
    return text === '' ? 0 : made.code('string', text);
  });
  const book = sent?.book ?? null;
  if (sent === null || book === null) return made.size === 0 ? null : { codes: values, book: made };
  translate(values, sent, (code) => {
    const [type, text] = [book.type(code), book.text(code)];
    return type === 'null' || (type === 'string' && text === '') ? 0 : made.code(type, text);
  });
  return { codes: values, book: made };
}

/** Writes what codes come to where that is not 0. A code is asked once. */
function translate(values: Uint32Array, { codes, book }: Coded, of: (code: number) => number): void {
  const known = new Int32Array((book?.size ?? 0) + 1).fill(UNKNOWN);
  known[0] = 0;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (known[code] === UNKNOWN) known[code] = of(code);
    if (known[code] !== 0) values[row] = known[code]!;
  }
}

const UNKNOWN = -1;
