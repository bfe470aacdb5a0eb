/** What single events say about their session, as codes; also numbers, of which there are few. */
import { numberText } from '../../dsl/plan/value.ts';
import {
  dictionaryOf,
  GrowingDictionary,
  translate,
  translateInto,
  type Coded,
  type FieldColumn,
} from '../rows/field-column.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { Attribute } from '../../dsl/plan/session-attribute.ts';
import type { UrlParameters } from './url-parameters.ts';

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
  translateInto(made, values, column);
  for (let i = 0; i < numbers.values.length; i++) {
    values[numbers.rows === null ? i : numbers.rows[i]!] = made.code('number', numberText(numbers.values[i]!));
  }
  return { codes: values, dictionary: made };
}

/** The event property if it exists, else the URL parameter. */
function campaign(rows: EventRows, name: string, parameters: UrlParameters): Coded | null {
  const sent = coded(rows.field({ kind: 'event', path: name }), rows.rows);
  const urls = coded(rows.field({ kind: 'enriched', name: '_url' }), rows.rows);
  if (urls === null) return sent;
  const made = new GrowingDictionary();
  const values = new Uint32Array(rows.rows);
  const parameter = parameters.of(urls.dictionary, name);
  translate(values, urls, (code) => {
    const text = parameter(code);
    return text === '' ? 0 : made.code('string', text);
  });
  if (sent === null) return made.size === 0 ? null : { codes: values, dictionary: made };
  translate(values, sent, (code) => {
    const [type, text] = [sent.dictionary.type(code), sent.dictionary.text(code)];
    return type === 'null' || (type === 'string' && text === '') ? 0 : made.code(type, text);
  });
  return { codes: values, dictionary: made };
}
