/** Runs several queries at once, answered in order. */
import type { ClientSession } from '../client/client-command.ts';
import { ServerError, TransportError, type ClientError } from '../client/client-error.ts';
import { postQuery, askEnvelope, askRows, type AnswerPage } from './ask.ts';
import { showTable } from './show-answer.ts';

interface ListOptions {
  readonly page: AnswerPage;
  readonly concurrency: number;
}

type Outcome<T> = { readonly q: string } & ({ readonly answer: T } | { readonly failure: ClientError });

/** Shows all answers; failures appear in the list and on stderr. Returns the exit code. */
export async function showList(
  session: ClientSession,
  queries: readonly string[],
  options: ListOptions,
): Promise<number> {
  const { api, output } = session;
  const { page } = options;
  switch (output.format) {
    case 'json': {
      const outcomes = await runAll(queries, options, (q) => askRows(api, q, page));
      output.json({
        results: outcomes.map((one) =>
          'answer' in one ? { query: one.q, rows: one.answer.rows } : { query: one.q, ...failureJson(one.failure) },
        ),
      });
      return tellFailures(session, outcomes);
    }
    case 'table': {
      const outcomes = await runAll(queries, options, (q) => askEnvelope(api, q, page));
      for (const one of outcomes) {
        output.heading(one.q);
        if ('answer' in one) await showTable(output, one.answer);
      }
      return tellFailures(session, outcomes);
    }
    default: {
      const outcomes = await runAll(queries, options, (q) => postQuery(api, q, { ...page, format: 'llm' }));
      for (const one of outcomes) {
        if ('answer' in one) output.raw(`\`\`\`\n${one.q}\n\`\`\`\n\n${one.answer.body.toString('utf8')}`);
      }
      return tellFailures(session, outcomes);
    }
  }
}

async function runAll<T>(
  queries: readonly string[],
  { concurrency }: ListOptions,
  run: (q: string) => Promise<T>,
): Promise<Outcome<T>[]> {
  const { default: PQueue } = await import('p-queue');
  const queue = new PQueue({ concurrency });
  return queue.addAll(
    queries.map((q) => async () => {
      try {
        return { q, answer: await run(q) };
      } catch (error) {
        if (error instanceof ServerError || error instanceof TransportError) return { q, failure: error };
        queue.clear(); // this failure affects all: no key, Ctrl-C, a bug
        throw error;
      }
    }),
  );
}

function failureJson(failure: ClientError): Readonly<Record<string, unknown>> {
  const { code, position } = failure instanceof ServerError ? failure : { code: null, position: null };
  return {
    error: failure.message,
    ...(code === null ? {} : { code }),
    ...(position === null ? {} : { position }),
    ...(failure.hints.length === 0 ? {} : { hints: failure.hints }),
  };
}

/** Hints that several share are printed once. */
function tellFailures({ terminal }: ClientSession, outcomes: readonly Outcome<unknown>[]): number {
  const hints = new Set<string>();
  for (const [index, one] of outcomes.entries()) {
    if ('answer' in one) continue;
    terminal.say(`wl: query ${index + 1}: ${one.failure.message}`);
    for (const hint of one.failure.hints) hints.add(hint);
  }
  for (const hint of hints) terminal.say(`  ${hint}`);
  return outcomes.every((one) => 'answer' in one) ? 0 : 1;
}

/**
 * The queries of a text, one a line. A query continues on the next line if that begins with `|` or `->`, if this one ends so, and
 * inside quotes and brackets. Blank lines and comment lines may be between queries or inside one.
 */
export function splitQueries(text: string): readonly string[] {
  const queries: string[] = [];
  let lines: string[] = [];
  let state: Scan = START;
  for (const line of text.split(/\r?\n/)) {
    const isOpen = state.quoted || state.depth > 0;
    const next = scan(line, state);
    if (!isOpen && next.isBlank) continue;
    const goesOn = isOpen || CONTINUES.test(line) || (lines.length > 0 && state.expectsMore);
    if (!goesOn && lines.length > 0) {
      queries.push(lines.join('\n'));
      lines = [];
    }
    lines.push(line);
    state = next;
  }
  return lines.length > 0 ? [...queries, lines.join('\n')] : queries;
}

interface Scan {
  readonly quoted: boolean;
  readonly depth: number;
  /** Only a comment or blank. */
  readonly isBlank: boolean;
  /** It ends with `|`, `->` or a comma. */
  readonly expectsMore: boolean;
}

const START: Scan = { quoted: false, depth: 0, isBlank: true, expectsMore: false };
const CONTINUES = /^\s*(?:\||->)/;
const EXPECTS_MORE = /(?:\||->|,)\s*$/;

function scan(line: string, { quoted, depth }: Scan): Scan {
  let isQuoted = quoted;
  let open = depth;
  let end = line.length;
  for (let at = 0; at < end; at += 1) {
    const unit = line[at];
    if (isQuoted) {
      if (unit === '\\') at += 1;
      else if (unit === '"') isQuoted = false;
    } else if (unit === '"') isQuoted = true;
    else if (unit === '#') end = at;
    else if (unit === '(' || unit === '[') open += 1;
    else if (unit === ')' || unit === ']') open = Math.max(0, open - 1);
  }
  const code = line.slice(0, end);
  return {
    quoted: isQuoted,
    depth: open,
    isBlank: code.trim() === '',
    expectsMore: !isQuoted && EXPECTS_MORE.test(code),
  };
}
