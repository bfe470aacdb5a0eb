/** English names of countries and continents → their codes, which are what the server finds for addresses. */

/** Names that differ from those of Unicode's data, in the form of `keyOf`. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ turkey: 'TR', 'czech republic': 'CZ', 'ivory coast': 'CI', 'cabo verde': 'CV', swaziland: 'SZ', macau: 'MO' },
  ...{ 'dr congo': 'CD', 'democratic republic of the congo': 'CD', 'congo republic': 'CG', 'republic of the congo': 'CG' },
  ...{ 'hashemite kingdom of jordan': 'JO', 'republic of moldova': 'MD', 'republic of lithuania': 'LT', uk: 'GB' },
  ...{ 'vatican city': 'VA', 'saint lucia': 'LC', 'saint kitts and nevis': 'KN', 'east timor': 'TL', 'us': 'US' },
}; // prettier-ignore

const A = 65;

let codes: ReadonlyMap<string, string> | null = null;

/** `Germany` → `DE`; codes and unknown names stay as they are. */
export function countryCode(value: unknown): string {
  codes ??= codesOfCountries();
  const text = String(value).trim();
  return /^[A-Z]{2}$/.test(text) ? text : (codes.get(keyOf(text)) ?? text);
}

function codesOfCountries(): ReadonlyMap<string, string> {
  const found = new Map(Object.entries(OTHER_NAMES));
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(A + at));
  for (const style of ['long', 'short'] as const) {
    const names = new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' });
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      const name = isCurrent(code) ? names.of(code) : undefined;
      if (name !== undefined && !found.has(keyOf(name))) found.set(keyOf(name), code);
    }
  }
  return found;
}

/** Codes of countries that are no more stand for the name of one that is. */
const isCurrent = (code: string): boolean => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

/** `Bosnia & Herzegovina`, `Côte d’Ivoire` without what people write in several ways. */
const keyOf = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll('&', 'and')
    .replaceAll(/[^a-z ]/gi, '')
    .replace(/^the /i, '')
    .toLowerCase();

const CONTINENTS: Readonly<Record<string, string>> = {
  ...{ Africa: 'AF', Antarctica: 'AN', Asia: 'AS', Europe: 'EU', Oceania: 'OC', Americas: 'NA' },
  ...{ 'North America': 'NA', 'South America': 'SA' },
};

/** `Europe` → `EU`; `Americas` by the part: South America is `SA`, all else `NA`. Codes and unknown names stay. */
export function continentCode(name: string, part?: unknown): string {
  return (part === 'South America' ? 'SA' : CONTINENTS[name]) ?? name;
}
