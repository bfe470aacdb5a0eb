/** Queries to a project, with this browser's session. */
import { ApiError, answerOf, call, send } from '../public/console/api.js';
import { readJson } from '../public/console/read-json.js';
import type { ProjectNames } from '../lib/dsl/hints/complete.ts';

/** Rows per page of an answer. */
export const PAGE_ROWS = 100;

/** The most that one answer can have: the limit of the API. */
export const MOST_ROWS = 10_000;

/** Values that complete a query: nobody looks through more. */
const MOST_VALUES = 30;

/** Of a project of which none are known yet. */
export const NO_NAMES: ProjectNames = { events: [], fields: [], cohorts: [] };

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'number' | 'ratio' | 'seconds' | 'time' | 'json';
  readonly role: 'group' | 'bucket' | 'metric' | 'period' | 'value';
}

/** The envelope of POST /query. */
export interface Answer {
  readonly column_types: readonly Column[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
  readonly range: { readonly from: string; readonly to: string; readonly timezone: string };
  readonly elapsed_ms: number;
  readonly notes: readonly string[];
}

/** The part of an answer to `explain` that is shown. */
export interface Explanation {
  readonly passes: readonly { readonly name: string; readonly changed: boolean; readonly plan?: readonly string[] }[];
  readonly parts: readonly { readonly thread: number; readonly segments: number; readonly rows: number; readonly ms: number }[];
  readonly times: readonly { readonly stage: string; readonly ms: number }[];
  readonly rows_scanned: number;
} // prettier-ignore

/** A query, and how many rows of its answer to skip. */
export interface Question {
  readonly q: string;
  readonly offset: number;
}

export type TextFormat = 'llm' | 'csv' | 'json';

/** All of these reject with ApiError, or with the reason of an aborted signal. */
export class Questions {
  readonly #api: string;

  /** `api`: the path of the project in the session API. */
  constructor(api: string) {
    this.#api = api;
  }

  async answer({ q, offset }: Question, signal: AbortSignal): Promise<Answer> {
    const response = await this.#send({ q, offset, limit: PAGE_ROWS, format: 'json', envelope: true }, signal);
    return answerOf(response, isAnswer);
  }

  async text({ q, offset }: Question, format: TextFormat, signal: AbortSignal): Promise<string> {
    const response = await this.#send({ q, offset, limit: PAGE_ROWS, format }, signal);
    return response.text();
  }

  /** Rows of all pages, at most MOST_ROWS. */
  async file(q: string, format: 'csv' | 'json'): Promise<string> {
    const response = await send('POST', `${this.#api}/query`, { body: { q, limit: MOST_ROWS, format } });
    return response.text();
  }

  async explanation({ q }: Question, signal: AbortSignal): Promise<Explanation> {
    const response = await this.#send({ q, limit: PAGE_ROWS, explain: true }, signal);
    return answerOf(response, isExplanation);
  }

  async names(): Promise<ProjectNames> {
    const names = await answerOf(await send('GET', `${this.#api}/names`, {}), isObject);
    return { events: textsOf(names, 'events'), fields: textsOf(names, 'fields'), cohorts: textsOf(names, 'cohorts') };
  }

  /** The most frequent values of a field in the last 30 days; none if they are not for who asks, or there is no such field. */
  async valuesOf(field: string): Promise<readonly string[]> {
    const q = `* | where ${field} exists | last 30d | count by ${field} | top ${MOST_VALUES}`;
    const body = { q, format: 'json', envelope: true };
    const response = await send('POST', `${this.#api}/query`, { body }).catch((error: unknown) => {
      if (error instanceof ApiError) return null;
      throw error;
    });
    const answer: unknown = response === null ? null : readJson(await response.text());
    if (!isAnswer(answer)) return [];
    const [{ name } = { name: '' }] = answer.column_types;
    return answer.rows.flatMap((row) => (typeof row[name] === 'string' ? [row[name]] : []));
  }

  async cohorts(): Promise<readonly Cohort[]> {
    const list = await call('GET', `${this.#api}/cohorts`);
    return Array.isArray(list) ? list.filter(isCohort) : [];
  }

  /** How many people of the last 30 days are in a cohort. */
  async sizeOf(name: string): Promise<number> {
    const q = `* | where cohort ${JSON.stringify(name)} | unique as people | last 30d`;
    const response = await send('POST', `${this.#api}/query`, { body: { q, format: 'json' } });
    const rows: unknown = readJson(await response.text());
    const row: unknown = Array.isArray(rows) ? rows[0] : null;
    return typeof row === 'object' && row !== null && 'people' in row ? Number(row.people) : 0;
  }

  #send(body: object, signal: AbortSignal): Promise<Response> {
    return send('POST', `${this.#api}/query`, { body, signal });
  }
}

/** A saved condition on people. */
export interface Cohort {
  readonly name: string;
  readonly where: string;
  readonly description: string | null;
}

function isCohort(value: unknown): value is Cohort {
  return typeof value === 'object' && value !== null && 'name' in value && 'where' in value;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'column_types' in value && 'rows' in value;
}

function isExplanation(value: unknown): value is Explanation {
  return typeof value === 'object' && value !== null && 'passes' in value && 'times' in value;
}

function textsOf(names: object, field: string): readonly string[] {
  const texts: unknown = Reflect.get(names, field);
  return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : [];
}
