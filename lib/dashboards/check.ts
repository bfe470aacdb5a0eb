/** From YAML to a checked dashboard, or to everything that is wrong with it. Runs the stages in order. */
import { findZone } from '../dsl/time/zone.ts';
import { CardChecks } from './card-checks.ts';
import { MAX_REFRESH_MS, type Dashboard, type Section } from './dashboard.ts';
import { atStart, type Problem } from './problem.ts';
import { isRaw, listIn, soundCard, soundVariable, textIn } from './raw.ts';
import { QueryCompiler } from './query-compiler.ts';
import { tellSchemaProblems } from './schema-problems.ts';
import { VariableChecks } from './variable-checks.ts';
import { YamlFile } from './yaml-file.ts';

const MAX_PROBLEMS = 100;
/** Longer problems are cut: they may repeat a key or a name that has as many characters as the file. UTF-16 units. */
const MAX_MESSAGE = 1_000;
const MIN_REFRESH_MS = 10_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Either a dashboard, or at least one problem, sorted by position. */
export type Checked =
  | { readonly dashboard: Dashboard; readonly problems: readonly [] }
  | { readonly dashboard: null; readonly problems: readonly Problem[] };

/** Checks the text of a file: the YAML, the schema, variables, and every query, by compiling it. */
export function checkDashboard(text: string): Checked {
  const file = YamlFile.read(text);
  if (!(file instanceof YamlFile)) return wrong(file);
  tellSchemaProblems(file);
  const timezone = textIn(file.value, 'timezone');
  if (timezone !== null && findZone(timezone) === null) {
    file.tell(['timezone'], `unknown time zone ${JSON.stringify(timezone)}; write one like "Europe/Berlin"`);
  }
  const compiler = new QueryCompiler(timezone);
  const variables = new VariableChecks(file, compiler);
  for (const [index, raw] of listIn(file.value, 'variables').entries()) {
    if (soundVariable(raw)) variables.add(raw, ['variables', index]);
    else variables.addUnsound(raw);
  }
  const cards = new CardChecks(file, compiler, variables);
  const sections = listIn(file.value, 'sections').map((section, index): Section => {
    const checked = listIn(section, 'cards').flatMap((raw, place) => {
      const path = ['sections', index, 'cards', place];
      return soundCard(raw) ? [cards.check(raw, path)] : cards.checkUnsound(raw, path);
    });
    return { title: textIn(section, 'title'), description: textIn(section, 'description'), cards: checked };
  });
  const refreshMs = refreshOf(textIn(file.value, 'refresh'));
  if (refreshMs !== null && refreshMs < MIN_REFRESH_MS) {
    file.tell(['refresh'], 'a page can refresh every 10s at most');
  }
  if (refreshMs !== null && refreshMs > MAX_REFRESH_MS) file.tell(['refresh'], 'a page refreshes every 24h at least');
  const { value, problems } = file;
  if (problems.length > 0 || !isRaw(value)) return wrong(problems);
  const { id = null, title, description = null, order = null } = value;
  const root = { version: 1, id, title, description, order, refreshMs, timezone } as const;
  const cohorts = [...compiler.cohorts].toSorted();
  const used = cohorts.length === 0 ? {} : { cohorts };
  return { dashboard: { ...root, variables: variables.checked, sections, ...used }, problems: [] };
}

function wrong(problems: readonly Problem[]): Checked {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const left = sorted.length - MAX_PROBLEMS;
  const more =
    left > 0 ? [{ ...atStart(`${left} more problems are not listed.`), line: sorted.at(-1)?.line ?? 1 }] : [];
  const told = sorted.slice(0, MAX_PROBLEMS).map((problem) => ({ ...problem, message: cut(problem.message) }));
  return { dashboard: null, problems: [...told, ...more] };
}

/** Never between the halves of a pair. */
function cut(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${message.slice(0, MAX_MESSAGE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function refreshOf(text: string | null): number | null {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(text ?? '') ?? [];
  const scale = UNIT_MS[unit];
  return count === undefined || scale === undefined ? null : Number(count) * scale;
}
