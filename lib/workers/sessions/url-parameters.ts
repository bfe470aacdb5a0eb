/** Parameters of URLs: each URL of a dictionary is parsed once per query. */
import { parseUrl } from '../../shards/enrich/url.ts';
import type { Codebook } from '../rows/field-column.ts';

/** What must stand in a URL that was written to be parsed: names may be percent-encoded or broken by line ends. */
const HIDDEN = /[%\t\n\r]/;

export class UrlParameters {
  readonly #known = new Map<string, (string | undefined)[]>();

  /** The first parameter of that name of the URL that is the text of a code; '' where there is none. */
  of(book: Codebook, name: string): (code: number) => string {
    const key = `${name} ${book.key}`;
    const values = this.#known.get(key) ?? new Array<string | undefined>(book.size + 1);
    this.#known.set(key, values);
    return (code) => (values[code] ??= book.type(code) === 'string' ? parameterOf(book.text(code), name) : '');
  }
}

/** '' too where the text is no absolute URL. */
export function parameterOf(url: string, name: string): string {
  if (!url.includes('?') || (!url.includes(name) && !HIDDEN.test(url))) return '';
  return parseUrl(url)?.searchParams.get(name) ?? '';
}
