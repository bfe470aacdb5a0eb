/** Queries to a project, with this browser's session. */
import { call, send } from '../public/console/api.js';
import { readJson } from '../public/console/read-json.js';
import type { ProjectNames } from '../lib/dsl/hints/complete.ts';

/** Rows per page of an answer. */
export const PAGE_ROWS = 100;

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
    const answer: unknown = readJson(await response.text());
    if (isAnswer(answer)) return answer;
    throw new Error('the answer is no envelope');
  }

  async text({ q, offset }: Question, format: TextFormat, signal: AbortSignal): Promise<string> {
    const response = await this.#send({ q, offset, limit: PAGE_ROWS, format }, signal);
    return response.text();
  }

  async explanation({ q }: Question, signal: AbortSignal): Promise<Explanation> {
    const response = await this.#send({ q, limit: PAGE_ROWS, explain: true }, signal);
    const explanation: unknown = readJson(await response.text());
    if (isExplanation(explanation)) return explanation;
    throw new Error('the answer is no explanation');
  }

  async names(): Promise<ProjectNames> {
    const names = await call('GET', `${this.#api}/names`);
    if (typeof names !== 'object' || names === null) throw new Error('the names are no object');
    return { events: textsOf(names, 'events'), fields: textsOf(names, 'fields'), cohorts: textsOf(names, 'cohorts') };
  }

  async cohorts(): Promise<readonly Cohort[]> {
    const list = await call('GET', `${this.#api}/cohorts`);
    return Array.isArray(list) ? list.filter(isCohort) : [];
  }

  /** How many persons of the last 30 days are in a cohort. */
  async sizeOf(name: string): Promise<number> {
    const q = `* | where cohort ${JSON.stringify(name)} | unique as persons | last 30d`;
    const response = await send('POST', `${this.#api}/query`, { body: { q, format: 'json' } });
    const rows: unknown = readJson(await response.text());
    const row: unknown = Array.isArray(rows) ? rows[0] : null;
    return typeof row === 'object' && row !== null && 'persons' in row ? Number(row.persons) : 0;
  }

  #send(body: object, signal: AbortSignal): Promise<Response> {
    return send('POST', `${this.#api}/query`, { body, signal });
  }
}

/** A saved condition on persons. */
export interface Cohort {
  readonly name: string;
  readonly where: string;
  readonly description: string | null;
}

function isCohort(value: unknown): value is Cohort {
  return typeof value === 'object' && value !== null && 'name' in value && 'where' in value;
}

/** Page and server have the same version, so it is enough to check which of the two forms it is. */
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
