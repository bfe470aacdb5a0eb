/** Parameters of URLs: each URL of a dictionary is parsed once per query. */
import { kept } from '../../base/kept.ts';
import { parseUrl } from '../../shards/ingest/enrich/url.ts';
import type { RowContext } from '../query-context.ts';
import type { ValueDictionary } from '../rows/field-column.ts';
import { CHECK_EVERY } from '../check-every.ts';

/** Must occur in a URL that hides a name: names may be percent-encoded or broken by line ends. */
const HIDDEN = /[%\t\n\r]/;

export class UrlParameters {
  readonly #context: RowContext;
  readonly #known = new Map<string, (string | undefined)[]>();
  #parsed = 0;

  constructor(context: RowContext) {
    this.#context = context;
  }

  /** The first parameter of this name, in any case, in the URL that a code stands for; '' if there is none. */
  of(dictionary: ValueDictionary, name: string): (code: number) => string {
    const key = `${name} ${dictionary.key}`;
    const values = kept(this.#known, key, () => this.#listOf(dictionary.size + 1));
    return (code) => (values[code] ??= this.#read(dictionary, code, name));
  }

  #listOf(length: number): (string | undefined)[] {
    this.#context.budget.take(length * 8);
    return new Array<string | undefined>(length);
  }

  #read(dictionary: ValueDictionary, code: number, name: string): string {
    if (++this.#parsed % CHECK_EVERY === 0) this.#context.checkpoint();
    const value = dictionary.type(code) === 'string' ? parameterOf(dictionary.text(code), name) : '';
    this.#context.budget.take(2 * value.length);
    return value;
  }
}

/** `name` in lower case; names in the URL may be in any. '' also if the text is not an absolute URL. */
export function parameterOf(url: string, name: string): string {
  if (!url.includes('?') || (!HIDDEN.test(url) && !url.toLowerCase().includes(name))) return '';
  for (const [key, value] of parseUrl(url)?.searchParams ?? []) if (key.toLowerCase() === name) return value;
  return '';
}
