/** The columns of an answer; they follow from the plan (retention's also from its range). */
import { ENRICHED_FIELDS, isSeconds, isTimeField } from './fields.ts';
import { METRIC_TRAITS } from './metrics.ts';
import type { Group, LatestPlan, Metric, Plan, RetentionPlan, UsersPlan } from './plan.ts';
import type { ColumnRole, ColumnType, TableColumn } from './table.ts';
import { bucketsOf } from '../time/buckets.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { unreachable } from '../../base/unreachable.ts';

/** The columns in order. */
export function columnsOf(plan: Plan): readonly TableColumn[] {
  switch (plan.kind) {
    case 'aggregate':
      return [...groupColumns(plan.groups), ...plan.metrics.map(metricColumn)];
    case 'list':
      return LIST;
    case 'latest':
      return isRowList(plan) ? LATEST : [...groupColumns(plan.groups), ...plan.metrics.map(metricColumn)];
    case 'users':
      return isRowList(plan) ? USERS : [...groupColumns(plan.groups), ...plan.metrics.map(metricColumn)];
    case 'sessions':
      return [...groupColumns(plan.groups), ...(plan.metrics.length === 0 ? SESSIONS : plan.metrics.map(metricColumn))];
    case 'formula':
      return [
        ...groupColumns(plan.bucket === null ? [] : [plan.bucket]),
        ...plan.operands.map((operand) => metricColumn(operand.metric)),
        column('value', 'number', 'metric'),
      ];
    case 'funnel':
      return [...groupColumns(plan.groups), ...FUNNEL];
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
      return CHOICE;
    default:
      return unreachable(plan);
  }
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

/** Most periods of a retention after the cohort's own. */
export const MAX_PERIOD = 12;

export function groupColumns(groups: readonly Group[]): TableColumn[] {
  return groups.map((group) => column(group.column, 'string', group.kind === 'bucket' ? 'bucket' : 'group'));
}

export function metricColumn(metric: Metric): TableColumn {
  return column(metric.column, metricType(metric), 'metric');
}

/** A value that is text has the type of a group by its field. */
function metricType(metric: Metric): ColumnType {
  const { value } = METRIC_TRAITS[metric.kind];
  if (value === 'text') return 'string';
  if (metric.kind === 'count' || value === 'count') return 'number';
  if (value === 'moment' && isTimeField(metric.field)) return 'time';
  return isSeconds(metric.field) ? 'seconds' : 'number';
}

function retentionColumns(plan: RetentionPlan): TableColumn[] {
  const buckets = bucketsOf(plan.range, plan.unit, zoneOf(plan)).starts.length;
  const periods = Math.min(MAX_PERIOD, buckets - 1) + 1;
  return [
    ...groupColumns(plan.groups),
    column('cohort', 'string', 'bucket'),
    column('users', 'number', 'metric'),
    ...Array.from({ length: periods }, (_, k) => column(`${plan.unit}_${k}`, 'number', 'period')),
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

const LIST: readonly TableColumn[] = [
  time('time'),
  ...['event_type', 'distinct_id', 'user_id', 'device_id', 'session_id', 'insert_id'].map(text),
  ...['event_properties', 'user_properties'].map(json),
  ...ENRICHED_FIELDS.map(text),
];
const LATEST = [text('entity'), json('last_value'), time('set_at')];
const USERS = [...['user_id', 'email', 'email_domain'].map(text), ...['first_seen', 'last_seen'].map(time), json('properties')]; // prettier-ignore
const SESSIONS = [number('sessions'), seconds('avg_duration'), number('avg_events'), ratio('bounce_rate')];
const FUNNEL = [
  group('step', 'number'),
  group('event'),
  number('users'),
  ratio('conversion'),
  ratio('step_conversion'),
  seconds('median_seconds'),
];
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
const CHOICE = [
  group('variant'),
  ...['users', 'conversions'].map(number),
  ...['rate', 'lift', 'ci_low', 'ci_high'].map(ratio),
  number('p_value'),
];
