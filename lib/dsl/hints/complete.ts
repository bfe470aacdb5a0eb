/**
 * Completion: what may follow where a query breaks off. It looks at the preceding words, not at the grammar: what it proposes
 * may be wrong, and what it leaves out may be right.
 */
import { FIXED_FIELDS } from '../plan/fields.ts';
import { PARTS } from '../time/calendar-parts.ts';
import { BUCKETS, LATER_SOURCES, LATER_STAGES, PEOPLE_WORDS, SOURCES, STAGES } from '../parse/keywords.ts';
import { ATTRIBUTION_MODELS } from '../plan/attribution.ts';
import { METRICS, METRICS_OF_FIELDS } from '../plan/metrics.ts';
import { quote } from '../parse/lex-string.ts';
import { columnsSoFar } from './columns-so-far.ts';
import { eventText, fieldText } from './name-text.ts';

export type WordKind =
  | 'source'
  | 'event'
  | 'stage'
  | 'metric'
  | 'bucket'
  | 'field'
  | 'condition'
  | 'span'
  | 'column'
  | 'group'
  | 'measure'
  | 'of'
  | 'model'
  | 'bots'
  | 'cohort'
  | 'people'
  | 'every'
  | 'range'
  | 'value';

/** Where a query breaks off. */
export interface Gap {
  /** Where the word being typed begins, in UTF-16 units. */
  readonly start: number;
  /** The part of the word typed so far. */
  readonly partial: string;
  /** Kinds of words, in the order to propose them. */
  readonly wants: readonly WordKind[];
  /** Of the answer, as far as its stages name them. */
  readonly columns: readonly string[];
  /** Whose value comes here, as it is written; null: something else does. */
  readonly field: string | null;
}

export interface Word {
  /** As written in a query, quoted where needed. */
  readonly text: string;
  readonly kind: WordKind;
}

/** What a project has, most frequent first. Fields that every project has may be left out. */
export interface ProjectNames {
  readonly events: readonly string[];
  readonly fields: readonly string[];
  readonly cohorts: readonly string[];
  /** Of fields as a query writes them; of others they are not known yet. */
  readonly values?: ReadonlyMap<string, readonly string[]>;
}

const STRING = /"(?:[^"\\]|\\.)*(?<end>"?)/gsu;
const PARTIAL_NAME = /[\p{L}\p{M}\p{N}_:./$]*$/u;
/** After these, in the source, comes an event. */
const BEFORE_EVENT = /(?:->|\b(?:funnel|retention|lifecycle|stickiness|attribution|inspect|returning|exclude|or|retention\s+first|count\s*\(|paths\s+(?:from|to))|,)\s*$/iu; // prettier-ignore
/** After these, in a stage, comes a field. */
const BEFORE_FIELD = new RegExp(
  `\\b(?:where(?:\\s*\\(+)?|and|or|not|${METRICS_OF_FIELDS.join('|')}|p[1-9]\\d?|latest|list|per|unit|same|sort|each)\\s+$|^\\s*list\\b.*,\\s*$|\\b(?:where\\b.*|(?:${METRICS_OF_FIELDS.join('|')}|p[1-9]\\d?|sort)\\s*)\\(\\s*$|\\([^()]*[-+*/]\\s+$`,
  'isu',
);
/** After these comes a column of the answer. */
const BEFORE_COLUMN = /^\s*(?:having\b(?:.*\b(?:and|or|not)|[\s(]*\()?|sort)\s*$/isu;
/** What the results of a choice are of, and behind a field of which events. */
const IN_RESULTS = /^\s*results\s+(?:sum|avg)\s+(?:[^\s()]|\([^()]*\))+\s+(?<of>of\s+)?$/iu;
/** After these, in a stage, comes an event. */
const BEFORE_DONE = /\b(?:did\s*\(\s*|within\s+\d+\s*[a-z]+\s+of\s+)$/iu;
/** After it comes the name of a cohort. */
const BEFORE_COHORT = /(?:\b(?:where|by|and|or|not)\s+|,\s*|\(\s*)cohort\s+$/iu;
/** Where a condition begins. */
const BEFORE_CONDITION = /^\s*where\b(?:.*\b(?:and|or|not)\b)?[\s(]+$/isu;
/** What a person did, so often; a span may follow, or the next condition. */
const BEHIND_DID = /\bdid\s*\((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*\)(?:\s*(?:[<>]=?|!?=)\s*\d+)?\s+$/iu;
/** A group that is whole; behind a field `bin` may follow. */
const LAST_GROUP = /(?:\bby\s+|,\s*)(?<group>(?:[^\s,"()]|"(?:[^"\\]|\\.)*"|\([^()]*\))+)\s+$/isu;
/** An open bracket: the filter of a step or of a metric; behind `in` it begins a list. */
const IN_FILTER = /(?<!\bin\s*)\[[^\]]*$/isu;
const BEFORE_FILTER_FIELD = /(?:\[|\(|\b(?:and|or|not)\s)\s*$/iu;

/** A field and an operator that takes one of its values, or a list of them; `having` compares numbers. */
const BEFORE_VALUE =
  /(?<field>(?:[^\s"()[\],=<>!~]|"(?:[^"\\]|\\.)*")+)\s*(?:!?=|(?:\bnot\s+)?\b(?:contains|has|starts\s+with|ends\s+with)\b|(?:\bnot\s+)?\bin\s*\((?:(?:[^()"]|"(?:[^"\\]|\\.)*")*,)?)\s*$/isu;
/** After these comes a length of time. */
const BEFORE_LENGTH = /\b(?:last|window|rolling)\s+$/iu;

/** Where a query breaks off, and what may follow. */
export function gapIn(query: string): Gap {
  const parts = splitAtPipes(query);
  const part = parts.at(-1) ?? '';
  const partial = openString(part) ?? PARTIAL_NAME.exec(part)?.[0] ?? '';
  const before = part.slice(0, part.length - partial.length);
  const columns = columnsSoFar(parts.slice(0, -1));
  const gap = { start: query.length - partial.length, partial, columns, field: null };
  const field = /^\s*having\b/iu.test(before) ? undefined : BEFORE_VALUE.exec(before)?.groups?.['field'];
  if (field !== undefined) return { ...gap, wants: ['value'], field };
  return { ...gap, wants: parts.length > 1 ? wantedInStage(before, columns.length > 0) : wantedInSource(before) };
}

/** Every word that fits a gap; the caller keeps those that continue the partial word. */
export function wordsFor(gap: Gap, names: ProjectNames): readonly Word[] {
  return gap.wants.flatMap((kind) => textsOf(kind, gap, names).map((text) => ({ text, kind })));
}

function textsOf(
  kind: WordKind,
  { partial, columns, field }: Gap,
  { events, fields, cohorts, values }: ProjectNames,
): readonly string[] {
  if (kind === 'column') return columns;
  if (kind === 'range') return /^\d+$/u.test(partial) ? LENGTH_UNITS.map((unit) => partial + unit) : LENGTHS;
  if (kind === 'value') return (field === 'event_type' ? events : (values?.get(field ?? '') ?? [])).map(quote);
  if (kind === 'cohort') return cohorts.map(quote);
  if (kind === 'field') return [...fields.map(fieldText), ...FIXED_FIELDS.events.keys()];
  if (kind !== 'event') return WORDS[kind];
  return events.map((name) => (partial.startsWith('"') ? quote(name) : eventText(name)));
}

/** Lengths of time that people ask for, and what any number of them is of. */
const LENGTHS = ['7d', '30d', '24h', '12w', '90d', '12mo'];
const LENGTH_UNITS = ['d', 'w', 'mo', 'h'];

const WORDS = {
  source: [...SOURCES, ...LATER_SOURCES],
  stage: [...METRICS, ...STAGES, ...LATER_STAGES],
  metric: METRICS,
  bucket: [...BUCKETS, ...PARTS, 'each', 'cohort'],
  group: ['bin'],
  condition: ['did(', 'cohort'],
  span: ['in', 'within', 'and', 'or'],
  model: ATTRIBUTION_MODELS,
  bots: ['bots'],
  people: [...PEOPLE_WORDS.counted, ...PEOPLE_WORDS.states],
  measure: ['sum', 'avg'],
  of: ['of'],
  every: ['any'],
} as const;

function wantedInSource(before: string): readonly WordKind[] {
  if (before.trim() === '') return ['event', 'source'];
  if (BEFORE_COHORT.test(before)) return ['cohort'];
  if (IN_FILTER.test(before)) return BEFORE_FILTER_FIELD.test(before) ? ['field'] : [];
  if (/^\s*formula\b/iu.test(before) && /\bby\s/iu.test(before)) return wantedInGroups(before);
  if (/\breturning\s+$/iu.test(before)) return ['event', 'every'];
  return BEFORE_EVENT.test(before) ? ['event'] : [];
}

/** Behind `by`. */
function wantedInGroups(before: string): readonly WordKind[] {
  if (/(?:\bby\s+|,\s*)$/iu.test(before)) return ['bucket', 'field'];
  const group = LAST_GROUP.exec(before)?.groups?.['group']?.toLowerCase();
  return group === undefined || WORDS.bucket.some((word) => word === group) ? [] : ['group'];
}

function wantedInStage(before: string, hasColumns: boolean): readonly WordKind[] {
  if (before.trim() === '') return ['stage'];
  if (/^\s*results\s+$/iu.test(before)) return ['event', 'measure'];
  const results = IN_RESULTS.exec(before);
  if (results !== null) return [results.groups?.['of'] === undefined ? 'of' : 'event'];
  if (BEFORE_DONE.test(before)) return ['event'];
  if (/^\s*model\s+$/iu.test(before)) return ['model'];
  if (/^\s*with\s+$/iu.test(before)) return ['bots'];
  if (BEFORE_LENGTH.test(before)) return ['range'];
  if (BEFORE_COHORT.test(before)) return ['cohort'];
  if (/^\s*people\s+$/isu.test(before)) return ['people'];
  if (/^(?:.*\s)?as\s+of\s+each\s+$/isu.test(before)) return ['bucket'];
  if (IN_FILTER.test(before)) return BEFORE_FILTER_FIELD.test(before) ? ['field'] : [];
  if (/\bof\s+$/iu.test(before)) return ['metric'];
  if (hasColumns && BEFORE_COLUMN.test(before)) return ['column'];
  if (/^\s*having\b(?:.*\b(?:and|or|not))?\s+$/isu.test(before)) return ['metric', 'bucket', 'field'];
  if (BEHIND_DID.test(before)) return ['span'];
  if (BEFORE_CONDITION.test(before)) return ['field', 'condition'];
  if (BEFORE_FIELD.test(before)) return ['field'];
  if (/\bby\s/iu.test(before)) return wantedInGroups(before);
  return /,\s*$/u.test(before) && !/\bwhere\b/iu.test(before) ? ['metric'] : [];
}

/** The parts between pipes; pipes in strings do not count. */
function splitAtPipes(query: string): string[] {
  const parts = [''];
  for (const [text] of query.matchAll(/"(?:[^"\\]|\\.)*"?|[^"|]+|\|/gsu)) {
    if (text === '|') parts.push('');
    else parts[parts.length - 1] += text;
  }
  return parts;
}

/** The unfinished string at the end, or null. */
function openString(part: string): string | null {
  const last = [...part.matchAll(STRING)].at(-1);
  return last?.groups?.['end'] === '' ? last[0] : null;
}
