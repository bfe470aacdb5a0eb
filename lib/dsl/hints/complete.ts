/**
 * Completion: what may follow where a query breaks off. It looks at the preceding words, not at the grammar: what it proposes
 * may be wrong, and what it leaves out may be right.
 */
import { FIXED_FIELDS } from '../plan/fields.ts';
import { BUCKETS, isKeyword, SOURCES, STAGES } from '../parse/keywords.ts';
import { METRICS, METRICS_OF_FIELDS } from '../plan/metrics.ts';
import { quote } from '../parse/lex-string.ts';
import { fieldText, isBareName } from './name-text.ts';

export type WordKind = 'source' | 'event' | 'stage' | 'metric' | 'bucket' | 'field';

/** Where a query breaks off. */
export interface Gap {
  /** Where the word being typed begins, in UTF-16 units. */
  readonly start: number;
  /** The part of the word typed so far. */
  readonly partial: string;
  /** Kinds of words, in the order to propose them. */
  readonly wants: readonly WordKind[];
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
}

const STRING = /"(?:[^"\\]|\\.)*(?<end>"?)/gsu;
const PARTIAL_NAME = /[\p{L}\p{M}\p{N}_:./$]*$/u;
/** After these, in the source, comes an event. */
const BEFORE_EVENT = /(?:->|\b(?:funnel|retention|lifecycle|stickiness|inspect|returning|exclude|count\s*\(|paths\s+(?:from|to))|,)\s*$/iu; // prettier-ignore
/** After these, in a stage, comes a field. */
const BEFORE_FIELD = new RegExp(
  `\\b(?:where(?:\\s*\\(+)?|and|or|not|${METRICS_OF_FIELDS.join('|')}|p[1-9]\\d?|latest|per|unit|sort)\\s+$|\\bwhere\\b.*\\(\\s*$`,
  'isu',
);
/** An open bracket: the filter of a step. */
const IN_FILTER = /\[[^\]]*$/su;
const BEFORE_FILTER_FIELD = /(?:\[|\(|\b(?:and|or|not)\s)\s*$/iu;

/** Where a query breaks off, and what may follow. */
export function gapIn(query: string): Gap {
  const parts = splitAtPipes(query);
  const part = parts.at(-1) ?? '';
  const partial = openString(part) ?? PARTIAL_NAME.exec(part)?.[0] ?? '';
  const before = part.slice(0, part.length - partial.length);
  const wants = parts.length > 1 ? wantedInStage(before) : wantedInSource(before);
  return { start: query.length - partial.length, partial, wants };
}

/** Every word that fits a gap; the caller keeps those that continue the partial word. */
export function wordsFor({ partial, wants }: Gap, names: ProjectNames): readonly Word[] {
  return wants.flatMap((kind) => textsOf(kind, partial, names).map((text) => ({ text, kind })));
}

function textsOf(kind: WordKind, partial: string, { events, fields }: ProjectNames): readonly string[] {
  if (kind === 'field') return [...fields.map(fieldText), ...FIXED_FIELDS.events.keys()];
  if (kind !== 'event') return WORDS[kind];
  return events.map((name) => (partial.startsWith('"') || isKeyword(name) || !isBareName(name) ? quote(name) : name));
}

const WORDS = { source: SOURCES, stage: [...METRICS, ...STAGES], metric: METRICS, bucket: BUCKETS } as const;

function wantedInSource(before: string): readonly WordKind[] {
  if (before.trim() === '') return ['event', 'source'];
  if (IN_FILTER.test(before)) return BEFORE_FILTER_FIELD.test(before) ? ['field'] : [];
  return BEFORE_EVENT.test(before) ? ['event'] : [];
}

function wantedInStage(before: string): readonly WordKind[] {
  if (before.trim() === '') return ['stage'];
  if (/\bresults\s+$/iu.test(before)) return ['event'];
  const isGroup = /\bby\b/iu.test(before);
  if (/\bby\s+$/iu.test(before) || (isGroup && /,\s*$/u.test(before))) return ['bucket', 'field'];
  if (BEFORE_FIELD.test(before)) return ['field'];
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
