/** The columns of an answer; they follow from the plan (retention's also from its range). */
import { ENRICHED_FIELDS, isSeconds, isTimeField } from './fields.ts';
import { METRIC_TRAITS } from './metrics.ts';
import { groupsOfPeople, PERSON_COLUMNS } from './people.ts';
import type {
  Field,
  Group,
  LatestPlan,
  ListedField,
  Metric,
  Plan,
  RetentionPlan,
  ChoicePlan,
  UsersPlan,
  FunnelPlan,
  TableStage,
} from './plan.ts';
import { heldBy, isLeftOut } from './personal.ts';
import type { ColumnRole, ColumnType, TableColumn } from './table.ts';
import { bucketsOf } from '../time/buckets.ts';
import { unitWord } from '../time/units.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { unreachable } from '../../base/unreachable.ts';

/** The columns of an answer in order: those of the source, and those that stages add. */
export function answerColumns(plan: Plan): readonly TableColumn[] {
  return shownOf(plan, plan.tableStages.reduce(columnsAfter, columnsOf(plan)));
}

/** Columns, or the cells of a row, without what rows of a list are only sorted by, and what whoever asks may not see. */
export function shownOf<T>(plan: Plan, all: readonly T[]): readonly T[] {
  const { hides } = plan;
  if (hides !== undefined) {
    const held = heldBy(plan, columnsOf(plan));
    all = all.filter((_, at) => !isLeftOut(held[at] ?? null, hides.personal));
  }
  const { fields = [] } = 'fields' in plan ? plan : {};
  const sorted = fields.filter(({ hidden }) => hidden).length;
  return sorted === 0 ? all : all.slice(0, -sorted);
}

/** The columns after a stage that works on rows of the answer. */
export function columnsAfter(columns: readonly TableColumn[], stage: TableStage): readonly TableColumn[] {
  switch (stage.kind) {
    case 'compare':
      return columns.flatMap((own, at) => (stage.metrics.includes(at) ? [own, ...comparedColumns(own)] : [own]));
    case 'share':
      return columns.flatMap((own, at) => (stage.metric === at ? [own, column(SHARE, 'ratio', 'metric')] : [own]));
    case 'having':
      return columns;
    default:
      return unreachable(stage);
  }
}

export const SHARE = 'share';

export function comparedColumns({ name, type, role }: TableColumn): readonly [TableColumn, TableColumn] {
  return [column(`${name}_previous`, type, role), column(`${name}_change`, 'ratio', role)];
}

/** The columns of a source in order, before any stage that works on its rows. */
export function columnsOf(plan: Plan): readonly TableColumn[] {
  return plan.people === undefined ? columnsOfAnswer(plan) : peopleColumns(plan);
}

/** A row for each person and group. */
function peopleColumns(plan: Plan): readonly TableColumn[] {
  return [...PERSON_COLUMNS, ...groupColumns(groupsOfPeople(plan)), ...(OF_PEOPLE[plan.kind] ?? [])];
}

function columnsOfAnswer(plan: Plan): readonly TableColumn[] {
  switch (plan.kind) {
    case 'aggregate':
      return [...groupColumns(plan.groups), ...plan.metrics.map(metricColumn)];
    case 'list':
      return plan.fields?.map(listedColumn) ?? LIST;
    case 'latest':
      return isRowList(plan) ? LATEST : [...groupColumns(plan.groups), ...plan.metrics.map(metricColumn)];
    case 'users':
      return isRowList(plan)
        ? (plan.fields?.map(listedColumn) ?? USERS)
        : [...groupColumns(plan.groups), ...plan.metrics.map(metricColumn)];
    case 'sessions':
      return [...groupColumns(plan.groups), ...(plan.metrics.length === 0 ? SESSIONS : plan.metrics.map(metricColumn))];
    case 'formula':
      return [
        ...groupColumns(plan.groups),
        ...plan.operands.map((operand) => metricColumn(operand.metric)),
        column('value', 'number', 'metric'),
      ];
    case 'funnel':
      return [...groupColumns(plan.groups), ...funnelColumns(plan)];
    case 'retention':
      return retentionColumns(plan);
    case 'paths':
      return PATHS;
    case 'lifecycle':
      return [column(plan.column, 'string', 'bucket'), ...LIFECYCLE];
    case 'stickiness':
      return STICKINESS;
    case 'fields':
      return FIELDS;
    case 'inspect':
      return plan.event === null ? INSPECT_ALL : INSPECT_EVENT;
    case 'choice':
      return choiceColumns(plan);
    case 'attribution':
      return [...groupColumns(plan.groups), ...CREDIT, ...plan.metrics.map(metricColumn)];
    case 'did': // it finds persons, who are no rows
      return [];
    case 'identities':
      return plan.of === 'profiles' ? PROFILES : BINDINGS;
    default:
      return unreachable(plan);
  }
}

/** The columns of metrics, or of fields of a list, that the query names, by index. */
export function askedMetrics(plan: Plan): readonly number[] {
  if ('fields' in plan && plan.fields !== undefined) return shownOf(plan, plan.fields).map((_, at) => at);
  const names = new Set(namesAsked(plan));
  return answerColumns(plan).flatMap(({ name, role }, at) => (role === 'metric' && names.has(name) ? [at] : []));
}

function namesAsked(plan: Plan): readonly string[] {
  if (plan.kind === 'formula') return [...plan.operands.map(({ metric }) => metric.column), 'value'];
  if (plan.kind === 'funnel') return plan.times.map(({ column: name }) => name);
  if (plan.kind === 'retention' && plan.metrics.length > 0) {
    const names = retentionColumns(plan).map(({ name }) => name);
    return names.slice(0, plan.groups.length + 2 + periodsOf(plan).buckets); // the cells that the range reaches
  }
  return 'metrics' in plan ? plan.metrics.map(({ column: name }) => name) : [];
}

/** Cells have the type of what was sent. */
function listedColumn({ field, column: name }: ListedField): TableColumn {
  return column(name, listedType(field), 'value');
}

function listedType(field: Field): ColumnType {
  if (isTimeField(field)) return 'time';
  if (isSeconds(field)) return 'seconds';
  if (field.kind === 'arithmetic') return 'number';
  if (field.kind === 'event' || field.kind === 'sent' || field.kind === 'profile') return 'json';
  if (field.kind === 'account') return field.name === 'email' ? 'json' : 'string';
  const isCount = (field.kind === 'session' || field.kind === 'last_session') && field.name === 'event_count';
  return isCount ? 'number' : 'string';
}

/** Whether a plan's rows are what the source yields (entities, profiles) rather than metrics of it. */
export function isRowList(plan: LatestPlan | UsersPlan): boolean {
  return plan.metrics.length === 0;
}

/** The zone of a plan. An unknown one is a bug: binding checks it. */
export function zoneOf(plan: { readonly zone: string }): Zone {
  const zone = findZone(plan.zone);
  if (zone === null) throw new Error(`a plan with an unknown zone: ${plan.zone}`);
  return zone;
}

/** Periods of a retention after the cohort's own, unless the query says how many. */
const USUAL_PERIODS = 12;

/** How many buckets the range of a retention has, and the last period that has a column; it may lie past the range. */
export function periodsOf(plan: RetentionPlan): { readonly buckets: number; readonly last: number } {
  const buckets = bucketsOf(plan.range, plan.unit, zoneOf(plan)).starts.length;
  return { buckets, last: plan.periods ?? Math.min(USUAL_PERIODS, buckets - 1) };
}

export function groupColumns(groups: readonly Group[]): TableColumn[] {
  return groups.map((group) => {
    if (group.kind === 'bucket') return column(group.column, 'string', 'bucket');
    if (group.kind === 'part') return { ...column(group.column, 'string', 'group'), scale: true };
    if (group.bin !== undefined) return { ...column(group.column, 'number', 'group'), scale: true };
    return column(group.column, 'string', 'group');
  });
}

export function metricColumn(metric: Metric): TableColumn {
  return column(metric.column, metricType(metric), 'metric');
}

/** A value that is text has the type of a group by its field. */
function metricType(metric: Metric): ColumnType {
  if (metric.kind === 'per') {
    const type = metricType(metric.of);
    return type === 'time' && METRIC_TRAITS[metric.aggregate].value !== 'moment' ? 'number' : type;
  }
  const { value } = METRIC_TRAITS[metric.kind];
  if (value === 'text') return 'string';
  if (metric.kind === 'count' || value === 'count') return 'number';
  if (value === 'moment' && isTimeField(metric.field)) return 'time';
  return isSeconds(metric.field) ? 'seconds' : 'number';
}

function funnelColumns({ unit, times, stepOrder }: FunnelPlan): TableColumn[] {
  return [
    group('step', 'number'),
    stepOrder === 'any' ? text('event') : group('event'), // which no step has then
    number(unit === null ? 'users' : 'units'),
    ratio('conversion'),
    ratio('step_conversion'),
    seconds('median_seconds'),
    ...times.map(({ column: name }) => seconds(name)),
  ];
}

function retentionColumns(plan: RetentionPlan): TableColumn[] {
  const [metric] = plan.metrics;
  const cell = metric === undefined ? column('', 'number', 'period') : metricColumn(metric);
  return [
    ...groupColumns(plan.groups),
    COHORT,
    column('users', 'number', 'metric'),
    ...Array.from({ length: periodsOf(plan).last + 1 }, (_, k) => ({ ...cell, name: `${unitWord(plan.unit)}_${k}` })),
  ];
}

function choiceColumns({ groups, metrics: [metric] }: ChoicePlan): TableColumn[] {
  const measured = (name: string): TableColumn =>
    metric === undefined ? ratio(name) : { ...metricColumn(metric), name };
  return [
    ...groupColumns(groups),
    group('variant'),
    number('users'),
    metric === undefined ? number('conversions') : measured('total'),
    measured(metric === undefined ? 'rate' : 'mean'),
    ratio('lift'),
    measured('ci_low'),
    measured('ci_high'),
    number('p_value'),
    number('p_adjusted'), // only answers of three variants or more have it
  ];
}

function column(name: string, type: ColumnType, role: ColumnRole): TableColumn {
  return { name, type, role };
}

const text = (name: string): TableColumn => column(name, 'string', 'value');
const time = (name: string): TableColumn => column(name, 'time', 'value');
const json = (name: string): TableColumn => column(name, 'json', 'value');
const number = (name: string): TableColumn => column(name, 'number', 'metric');
const ratio = (name: string): TableColumn => column(name, 'ratio', 'metric');
const seconds = (name: string): TableColumn => column(name, 'seconds', 'metric');
const group = (name: string, type: ColumnType = 'string'): TableColumn => column(name, type, 'group');

const COHORT = column('cohort', 'string', 'bucket');

/** Of sources whose groups are no fields. */
const OF_PEOPLE: Partial<Readonly<Record<Plan['kind'], readonly TableColumn[]>>> = {
  retention: [COHORT],
  paths: [group('path', 'json')],
  choice: [group('variant'), json('converted')],
};

const LIST: readonly TableColumn[] = [
  time('time'),
  ...['event_type', 'distinct_id', 'user_id', 'device_id', 'session_id', 'insert_id'].map(text),
  ...['event_properties', 'user_properties'].map(json),
  ...ENRICHED_FIELDS.map(text),
];
const LATEST = [text('entity'), json('last_value'), time('set_at')];
const USERS = [...['user_id', 'email', 'email_domain'].map(text), ...['first_seen', 'last_seen'].map(time), json('properties')]; // prettier-ignore
const PROFILES = [text('user_id'), time('first_seen'), time('last_seen'), json('properties')];
const BINDINGS = [text('device_id'), text('user_id'), time('bound_at')];
const SESSIONS = [number('sessions'), seconds('avg_duration'), number('avg_events'), ratio('bounce_rate')];
const PATHS = [group('path', 'json'), number('users'), ratio('share')];
const LIFECYCLE = ['new', 'returning', 'resurrected', 'dormant'].map(number);
const STICKINESS = [group('days', 'number'), number('users'), ratio('share')];
const FIELDS = [group('field'), text('kind'), text('type'), number('events'), ratio('coverage')];
const INSPECT_ALL = [
  group('event_type'),
  number('count'),
  number('users'),
  time('first_seen'),
  time('last_seen'),
  number('properties'),
];
const INSPECT_EVENT = [group('field'), ratio('coverage'), text('types'), number('distinct'), json('samples')];
export const CREDIT = [number('conversions'), ratio(SHARE)];
