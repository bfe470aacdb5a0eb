/** From YAML to a checked dashboard, or to everything that is wrong with it. Runs the stages in order. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/day.ts';
import { findZone } from '../dsl/time/zone.ts';
import { CardChecks } from './card-checks.ts';
import { MAX_REFRESH_MS, type Annotation, type Dashboard, type Section } from './dashboard.ts';
import { type Problem, toldProblems } from './problem.ts';
import { isRaw, listIn, soundCard, soundVariable, textIn } from './raw.ts';
import { QueryCompiler } from './query-compiler.ts';
import { DASHBOARD_SCHEMA } from './schema.ts';
import { schemaTeller } from './schema-problems.ts';
import { wallTime } from './values.ts';
import { VariableChecks } from './variable-checks.ts';
import { YamlFile } from './yaml-file.ts';

const tellSchemaProblems = schemaTeller(DASHBOARD_SCHEMA, 'the dashboard');
const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS };

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
  const annotations = annotationsOf(file);
  const refreshMs = refreshOf(textIn(file.value, 'refresh'));
  if (refreshMs !== null && refreshMs < 10 * SECOND_MS) file.tell(['refresh'], 'a page can refresh every 10s at most');
  if (refreshMs !== null && refreshMs > MAX_REFRESH_MS) file.tell(['refresh'], 'a page refreshes every 24h at least');
  const { value, problems } = file;
  if (problems.length > 0 || !isRaw(value)) return wrong(problems);
  const { id = null, title, description = null, order = null } = value;
  const root = { version: 1, id, title, description, order, refreshMs, timezone } as const;
  const cohorts = [...compiler.cohorts].toSorted();
  const used = { ...(cohorts.length > 0 && { cohorts }), ...(annotations.length > 0 && { annotations }) };
  return { dashboard: { ...root, variables: variables.checked, sections, ...used }, problems: [] };
}

/** By time. */
function annotationsOf(file: YamlFile): readonly Annotation[] {
  const found = listIn(file.value, 'annotations').flatMap((raw, index): Annotation[] => {
    const [at, text] = [textIn(raw, 'at'), textIn(raw, 'text')];
    if (at === null || text === null) return [];
    const time = wallTime(at);
    if (time === null) file.tell(['annotations', index, 'at'], `there is no day or time ${JSON.stringify(at)}`);
    return time === null ? [] : [{ at: time, text }];
  });
  return found.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const wrong = (problems: readonly Problem[]): Checked => ({ dashboard: null, problems: toldProblems(problems) });

function refreshOf(text: string | null): number | null {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(text ?? '') ?? [];
  const scale = UNIT_MS[unit];
  return count === undefined || scale === undefined ? null : Number(count) * scale;
}
