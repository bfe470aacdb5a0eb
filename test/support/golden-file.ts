/**
 * Golden files: a title, settings, and sections.
 *
 *     # What must hold
 *     fixture: shop             events of test/golden/_fixtures/shop.events
 *     now: 2026-03-10T12:00Z    when the query arrives (this is the default)
 *     at: 2026-03-10T11:00Z     when requests arrive (an hour before now is the default)
 *     timezone: Europe/Berlin   the project's zone
 *     limit: 10                 the request's page, `offset: 0` too
 *     columns: a, b             the only columns that are compared
 *     personal: phone, city     who asks sees no personal data, and the project names these so; `none`: no others; `profiles`:
 *                               no profiles
 *     --- events                lines of a world, see world-lines.ts
 *     --- cohorts               `name: condition` each
 *     --- query
 *     --- total                 rows before the page was cut; left out: not compared
 *     --- rows                  a Markdown table, see print-rows.ts; or
 *     --- error                 the line of the query and its caret, then `says: text` of the message
 */
import type { Hides } from '../../lib/dsl/plan/hides.ts';
import type { QueryContext, World } from '../oracle/world.ts';
import { parseMoment, parseWorld } from './world-lines.ts';

export interface GoldenFile {
  readonly title: string;
  readonly world: World;
  readonly query: string;
  readonly context: QueryContext;
  /** null: those in which some row of the answer has a value. */
  readonly columns: readonly string[] | null;
  readonly total: number | null;
  readonly expected:
    | { readonly kind: 'rows'; readonly lines: readonly string[] }
    | { readonly kind: 'error'; readonly lines: readonly string[]; readonly says: readonly string[] };
}

const SETTINGS = ['fixture', 'now', 'at', 'timezone', 'limit', 'offset', 'columns', 'personal'];
const SECTIONS = ['events', 'cohorts', 'query', 'total', 'rows', 'error'];

/** Hashes ids. */
const HASH_KEY = 'the key of a test';

/** @param fixture Returns the text of a shared world by name. */
export function parseGolden(text: string, fixture: (name: string) => string): GoldenFile {
  const sections = splitSections(text);
  const [title = '', ...head] = (sections.get('') ?? '').trim().split('\n');
  const settings = readSettings(head);
  const now = parseMoment(settings['now'] ?? '2026-03-10T12:00Z');
  const arrival = settings['at'] === undefined ? now - 3600_000 : parseMoment(settings['at']);
  const { fixture: name, personal: named } = settings;
  return {
    title: title.replace(/^# /, ''),
    world: parseWorld([name === undefined ? '' : fixture(name), sections.get('events') ?? ''].join('\n'), arrival),
    query: sections.get('query') ?? '',
    context: {
      now,
      timezone: settings['timezone'] ?? null,
      limit: Number(settings['limit'] ?? 100),
      offset: Number(settings['offset'] ?? 0),
      ...(named === undefined ? {} : { hides: hidesOf(named) }),
      cohorts: readCohorts(sections.get('cohorts') ?? ''),
    },
    columns: settings['columns']?.split(', ') ?? null,
    total: sections.has('total') ? Number(sections.get('total')) : null,
    expected: readExpected(sections),
  };
}

/** The file's text with its expected part replaced. */
export function replaceExpected(text: string, expected: readonly string[]): string {
  const at = /^--- (rows|error)$/m.exec(text);
  return `${at === null ? text : text.slice(0, at.index)}${expected.join('\n')}\n`;
}

function splitSections(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  let name = '';
  let lines: string[] = [];
  for (const line of [...text.replace(/\n$/, '').split('\n'), null]) {
    if (line !== null && !line.startsWith('--- ')) {
      lines.push(line);
      continue;
    }
    sections.set(name, lines.join('\n'));
    lines = [];
    name = line?.slice(4) ?? '';
    if (line !== null && !SECTIONS.includes(name)) throw new Error(`a golden file has no section ${name}`);
    if (line !== null && sections.has(name)) throw new Error(`a golden file has one section ${name}`);
  }
  return sections;
}

function readCohorts(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
}

function readSettings(lines: readonly string[]): { [name: string]: string } {
  const pairs = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (!SETTINGS.includes(name)) throw new Error(`a golden file has no setting ${line}`);
    return [name, value];
  });
  return Object.fromEntries(pairs);
}

function readExpected(sections: ReadonlyMap<string, string>): GoldenFile['expected'] {
  const error = sections.get('error');
  if (error === undefined) {
    const rows = sections.get('rows');
    if (rows === undefined) throw new Error('a golden file has --- rows or --- error');
    return { kind: 'rows', lines: rows.split('\n') };
  }
  const lines = error.split('\n');
  return {
    kind: 'error',
    lines: lines.filter((line) => !line.startsWith('says: ')),
    says: lines.filter((line) => line.startsWith('says: ')).map((line) => line.slice('says: '.length)),
  };
}

function hidesOf(named: string): Hides {
  if (named === 'profiles') return { key: null, personal: 'profiles' };
  return { key: HASH_KEY, personal: named === 'none' ? [] : named.split(', ') };
}
