/** Times as `time_format` of a map describes them → times as the server reads them. */

/** Units of numbers since the epoch, by how many of them a second has. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['seconds', 1],
  ['milliseconds', 1e3],
  ['microseconds', 1e6],
  ['nanoseconds', 1e9],
]);

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** What stands for a part of a time, and how it is written. Each has a length of its own, so no text takes long to read. */
const TOKENS: ReadonlyMap<string, string> = new Map([
  ['YYYY', '(?<year>\\d{4})'],
  ['YY', '(?<shortYear>\\d\\d)'],
  ['MMM', `(?<monthName>${MONTHS.join('|')})[a-z]{0,6}`],
  ['MM', '(?<month>\\d\\d)'],
  ['M', '(?<month>\\d\\d?)'],
  ['DD', '(?<day>\\d\\d)'],
  ['D', '(?<day>\\d\\d?)'],
  ['HH', '(?<hour>\\d\\d)'],
  ['H', '(?<hour>\\d\\d?)'],
  ['hh', '(?<hour>\\d\\d)'],
  ['h', '(?<hour>\\d\\d?)'],
  ['mm', '(?<minute>\\d\\d)'],
  ['ss', '(?<second>\\d\\d)'],
  ['SSS', '(?<fraction>\\d{1,9})'],
  ['A', '(?<half>am|pm)'],
  ['Z', '(?<zone>Z|[+-]\\d\\d:?\\d\\d)'],
]);

const TOKEN = /YYYY|YY|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|SSS|A|Z/g;

/** Characters of a format. */
const LONGEST = 64;

/** A value → ISO 8601, without an offset where it has none, or milliseconds since the epoch; null: it is no such time. */
export type ReadFormat = (value: unknown) => string | number | null;

/** What a format reads; a text says why it is none. */
export function timeFormat(format: string): ReadFormat | string {
  const unit = UNITS.get(format);
  if (unit !== undefined) return (value) => inUnit(value, unit);
  if (format.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  const tokens: readonly string[] = format.match(TOKEN) ?? [];
  const has = (...names: readonly string[]): boolean => names.some((name) => tokens.includes(name));
  if (!has('YYYY', 'YY') || !has('MMM', 'MM', 'M') || !has('DD', 'D'))
    return `it names no date: it is ${[...UNITS.keys()].join(', ')}, or such as DD.MM.YYYY HH:mm:ss`;
  const names = tokens.map((token) => /<(\w+)>/.exec(TOKENS.get(token)!)![1]!);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `it names the ${twice} twice`;
  const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  const pieces = format.split(TOKEN).map(literal);
  const source = pieces.map((piece, at) => piece + (at < tokens.length ? TOKENS.get(tokens[at]!)! : '')).join('');
  const pattern = new RegExp(`^${source}$`, 'i');
  return (value) => (typeof value === 'string' ? fromParts(pattern.exec(value.trim())?.groups) : null);
}

function inUnit(value: unknown, unit: number): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  const time = unit > 1e3 ? number / (unit / 1e3) : number * (1e3 / unit);
  return Math.floor(Math.round(time * 1e3) / 1e3); // of nanoseconds, a double has the last digits not quite
}

function fromParts(parts: Readonly<Record<string, string | undefined>> | undefined): string | null {
  if (parts === undefined) return null;
  const { year, shortYear, month, monthName, day, hour = '0', minute = '0', second = '0', fraction } = parts;
  // Two digits: of this fullYear up to 68, as POSIX has it.
  const fullYear = year ?? String(Number(shortYear) + (Number(shortYear) > 68 ? 1_900 : 2_000));
  const number = month ?? String(MONTHS.indexOf(monthName!.toLowerCase()) + 1);
  const pair = (text: string): string => text.padStart(2, '0');
  const whole = `${pair(hourOf(hour, parts['half']))}:${pair(minute)}:${pair(second)}`;
  const clock = fraction === undefined ? whole : `${whole}.${fraction}`;
  return `${fullYear}-${pair(number)}-${pair(day!)}T${clock}${parts['zone'] ?? ''}`;
}

function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) return hour;
  const of12 = Number(hour) % 12;
  return String(half.toLowerCase() === 'pm' ? of12 + 12 : of12);
}
