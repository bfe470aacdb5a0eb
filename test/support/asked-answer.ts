/** A service's answer to a question, without what differs from one run to the next. */
import type { QueryContext } from '../oracle/world.ts';
import { fetch } from './checked-fetch.ts';

/** What is asked besides the query. */
export interface Asking {
  readonly format: 'llm' | 'json' | 'csv';
  readonly explain?: boolean;
}

export const WAYS: readonly Asking[] = [{ format: 'json' }, { format: 'llm' }, { format: 'json', explain: true }, { format: 'csv' }]; // prettier-ignore

export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: string;
}

export interface Question {
  readonly q: string;
  readonly context: QueryContext;
  readonly asking: Asking;
}

/** Saves the cohorts of a question, those that others name first. */
export async function saveCohorts(
  to: { readonly url: string; readonly key: string },
  { cohorts = new Map() }: QueryContext,
): Promise<void> {
  for (const [name, where] of [...cohorts].toReversed().concat([...cohorts])) {
    const body = JSON.stringify({ where });
    await fetch(`${to.url}/cohorts/${encodeURIComponent(name)}`, {
      method: 'PUT',
      headers: { 'X-API-Key': to.key },
      body,
    });
  }
}

/** POST /query while the clock stands at the question's moment. @param to The service's address, and the project's key. */
export async function askAt(
  to: { readonly url: string; readonly key: string },
  { q, context: { now, timezone, limit, offset }, asking }: Question,
): Promise<Said> {
  const body = JSON.stringify({ q, timezone, limit, offset, envelope: true, ...asking });
  const clock = Date.now;
  Date.now = () => now;
  try {
    return await said(
      await fetch(`${to.url}/query`, { method: 'POST', headers: { 'X-API-Key': to.key }, body }),
      asking,
    );
  } finally {
    Date.now = clock;
  }
}

async function said(response: Response, { explain = false }: Asking): Promise<Said> {
  const { status } = response;
  const names = ['content-type', 'x-total-count', 'x-rows-scanned'];
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
  const text = await response.text();
  return { status, headers, body: withoutTimes(response.ok && explain ? explained(text) : text) };
}

/** What an explanation says of the question; how it was answered differs. */
function explained(text: string): string {
  const { parts: _parts, statements: _statements, times: _times, ...question } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(question);
} // prettier-ignore

/** Without the time that it took and which engine it was. */
function withoutTimes(text: string): string {
  return text.replace(/, \d+ ms$/m, ', … ms').replace(/"elapsed_ms":\d+,"mode":"\w+"/, '"elapsed_ms":…');
}
