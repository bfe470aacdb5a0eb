/** From YAML to a checked alert, or to everything that is wrong with it. */
import { nearest } from '../base/text/nearest.ts';
import { isRecord, type JsonRecord } from '../base/is-record.ts';
import { atStart, type Problem, toldProblems } from '../dashboards/problem.ts';
import { QueryCompiler } from '../dashboards/query-compiler.ts';
import { listIn, textIn } from '../dashboards/raw.ts';
import { schemaTeller } from '../dashboards/schema-problems.ts';
import { YamlFile } from '../dashboards/yaml-file.ts';
import { MAX_QUERY_BYTES } from '../dsl/compile.ts';
import { answerColumns } from '../dsl/plan/columns.ts';
import { findZone } from '../dsl/time/zone.ts';
import { type Alert, MAX_ALERT_BYTES, type Target, TARGET_KINDS } from './alert.ts';
import { columnsOfCondition, CONDITION_FORMS, parseAlertCondition, queryOfAlert } from './condition.ts';
import { scheduleProblem } from './schedule.ts';

/** Those that one alert tells. */
const MAX_TARGETS = 10;

const ID = '^[a-z0-9][a-z0-9_-]{0,63}$';
const target = { type: 'string', minLength: 3, maxLength: 2_000 };

const ALERT_SCHEMA = {
  type: 'object',
  required: ['version', 'id', 'title', 'schedule', 'to'],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    id: { type: 'string', pattern: ID },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    description: { type: 'string', maxLength: 2_000 },
    schedule: { type: 'string', maxLength: 200 },
    timezone: { type: 'string', maxLength: 100 },
    query: { type: 'string', maxLength: MAX_QUERY_BYTES },
    dashboard: { type: 'string', pattern: ID },
    when: { type: 'string', maxLength: 500 },
    paused: { type: 'boolean' },
    to: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_TARGETS,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(TARGET_KINDS.map((kind) => [kind, target])),
      },
    },
  },
};

const tellSchemaProblems = schemaTeller(ALERT_SCHEMA, 'the alert');

export type CheckedAlert =
  | { readonly alert: Alert; readonly problems: readonly [] }
  | { readonly alert: null; readonly problems: readonly Problem[] };

/** Checks the text of a file: the YAML, the schema, and what its texts mean. Cohorts and dashboards that it names are not looked up. */
export function checkAlert(text: string): CheckedAlert {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ALERT_BYTES) return wrong([atStart(`The file has ${bytes.toLocaleString('en')} bytes; an alert has at most ${MAX_ALERT_BYTES.toLocaleString('en')}.`)]); // prettier-ignore
  const file = YamlFile.read(text);
  if (!(file instanceof YamlFile)) return wrong(file);
  tellSchemaProblems(file);
  const { value } = file;
  checkTimes(file);
  checkQuestion(file);
  const to = listIn(value, 'to').flatMap((entry, index) => targetOf(file, entry, index));
  if (file.problems.length > 0 || !isRecord(value)) return wrong(file.problems);
  return { alert: alertOf(value, to), problems: [] };
}

/** Of a value that the schema lets pass. */
function alertOf(value: JsonRecord, to: readonly Target[]): Alert {
  return {
    ...{ id: textIn(value, 'id') ?? '', title: textIn(value, 'title') ?? '', description: textIn(value, 'description') },
    ...{ schedule: textIn(value, 'schedule') ?? '', timezone: textIn(value, 'timezone') },
    ...{ query: textIn(value, 'query'), dashboard: textIn(value, 'dashboard'), when: textIn(value, 'when') },
    ...{ to, paused: value['paused'] === true },
  };
} // prettier-ignore

function checkTimes(file: YamlFile): void {
  const [zone, schedule] = [textIn(file.value, 'timezone'), textIn(file.value, 'schedule')];
  const isZone = (name: string): boolean => findZone(name) !== null;
  if (zone !== null && !isZone(zone))
    file.tell(['timezone'], `unknown time zone ${JSON.stringify(zone)}; write one like "Europe/Berlin"`);
  const problem = schedule === null ? null : scheduleProblem(schedule, isZone);
  if (problem !== null) file.tell(['schedule'], problem);
}

function checkQuestion(file: YamlFile): void {
  const { value } = file;
  const [query, dashboard, when] = [textIn(value, 'query'), textIn(value, 'dashboard'), textIn(value, 'when')];
  if (isRecord(value) && (query === null) === (dashboard === null))
    file.tell([], 'an alert has either `query` or `dashboard`');
  if (dashboard !== null && when !== null) file.tell(['when'], 'a dashboard has no `when`: it is a report, sent every time');
  const condition = when === null ? null : parseAlertCondition(when);
  if (when !== null && condition === null)
    file.tell(['when'], `there is no condition ${JSON.stringify(when)}; write one like ${CONDITION_FORMS}`);
  if (query === null) return;
  const compiler = new QueryCompiler(textIn(value, 'timezone'));
  const own = compiler.plan(query);
  if ('position' in own) return file.tell(['query'], own.message, own.position);
  if (condition?.kind !== 'cells') return;
  const plan = compiler.plan(queryOfAlert(query, condition));
  if ('position' in plan) return file.tell(['when'], `the query has no \`change\`: ${plan.message}`);
  const columns = answerColumns(plan).map(({ name }) => name);
  if (columnsOfCondition(condition, columns).length > 0) return;
  const near = condition.column === null ? null : nearest(condition.column, columns);
  const hint = near === null ? `it has ${columns.slice(0, 20).join(', ')}` : `did you mean ${near}?`;
  const what = condition.column === null ? 'change of a metric' : `column ${JSON.stringify(condition.column)}`;
  file.tell(['when'], `the answer has no ${what}; ${hint}`);
} // prettier-ignore

function targetOf(file: YamlFile, entry: unknown, index: number): Target[] {
  if (!isRecord(entry)) return [];
  const [kind, ...more] = TARGET_KINDS.filter((name) => name in entry);
  if (kind === undefined || more.length > 0) {
    file.tell(['to', index], `an entry of \`to\` has one of ${TARGET_KINDS.join(', ')}`);
    return [];
  }
  const to = textIn(entry, kind);
  if (to === null) return [];
  const problem = kind === 'email' ? emailProblem(to) : urlProblem(to);
  if (problem !== null) file.tell(['to', index, kind], problem);
  return [{ kind, to: kind === 'email' ? to.toLowerCase() : to }];
}

const emailProblem = (to: string): string | null =>
  /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,189}$/.test(to) ? null : `${JSON.stringify(to)} is no e-mail address`;

function urlProblem(to: string): string | null {
  const url = URL.canParse(to) ? new URL(to) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'a hook is the address of a page: https://…';
  return url.username === '' && url.password === '' ? null : 'the address of a hook has no user and no password';
}

const wrong = (problems: readonly Problem[]): CheckedAlert => ({ alert: null, problems: toldProblems(problems) });
