/** Queries in three languages, and the databases for two of them. */
import { readFileSync } from 'node:fs';
import type { Row } from './peers/peer.ts';

export interface Question {
  readonly id: string;
  readonly title: string;
  /** The range; its dates are the only ones in the texts. `to` is exclusive. */
  readonly from: string;
  readonly to: string;
  /** Windlass's query. */
  readonly pipe: string;
  /** Columns of its JSON answer, in the order of the peers' columns; none: all of them. */
  readonly columns: readonly string[];
  readonly duckdb: readonly string[];
  readonly clickhouse: readonly string[];
}

/** A question that was drawn, and has no dates to replace. */
export interface RandomQuestion extends Question {
  /** Its texts, by the days that its range has moved. */
  readonly texts: readonly Readonly<Record<Language, string>>[];
  /** Converts the rows of Windlass's answer to SQL's, in any order. */
  readonly rows: (answer: readonly Row[]) => readonly Row[];
}

export function isRandom(question: Question): question is RandomQuestion {
  return 'texts' in question;
}

export interface QuestionFile {
  /** `{events}` and `{bindings}` in the statements stand for the files of the data set. */
  readonly schema: {
    readonly duckdb: { readonly create: readonly string[] };
    readonly clickhouse: { readonly create: readonly string[]; readonly settings: string };
  };
  readonly questions: readonly Question[];
}

export type Language = 'pipe' | 'duckdb' | 'clickhouse';

/** `to` moves back by fewer days than this: a run with another number of days asks something new. */
export const SHIFTS = 6;

export function readQuestions(file: string): QuestionFile {
  const parsed: QuestionFile = JSON.parse(readFileSync(file, 'utf8'));
  return parsed;
}

/** The query's text with `to` moved back by whole days. */
export function questionText(question: Question, language: Language, days: number, settings = ''): string {
  if (isRandom(question)) return `${question.texts[days % SHIFTS]![language]}\n${settings}`;
  const lines = language === 'pipe' ? [question.pipe] : question[language];
  const to = new Date(Date.parse(question.to) - days * 86_400_000).toISOString().slice(0, 10);
  const text = lines.join('\n').replaceAll(question.to, to);
  return settings === '' ? text : `${text}\n${settings}`;
}
