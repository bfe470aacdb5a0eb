/** Runs several queries at once, answered in order. */
import type { Session } from '../client/client-command.ts';
import { ServerError, TransportError, type ClientError } from '../client/client-error.ts';
import { ask, askEnvelope, askRows, type Page } from './ask.ts';
import { showTable } from './show-answer.ts';

interface ListOptions {
  readonly page: Page;
  /** Queries running at once. */
  readonly concurrency: number;
}

type Outcome<T> = { readonly q: string } & ({ readonly answer: T } | { readonly failure: ClientError });

/** Shows all answers; failures appear in the list and on stderr. Returns the exit code. */
export async function showList(session: Session, queries: readonly string[], options: ListOptions): Promise<number> {
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
      const outcomes = await runAll(queries, options, (q) => ask(api, q, { ...page, format: 'llm' }));
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
function tellFailures({ terminal }: Session, outcomes: readonly Outcome<unknown>[]): number {
  const hints = new Set<string>();
  for (const [index, one] of outcomes.entries()) {
    if ('answer' in one) continue;
    terminal.say(`wl: query ${index + 1}: ${one.failure.message}`);
    for (const hint of one.failure.hints) hints.add(hint);
  }
  for (const hint of hints) terminal.say(`  ${hint}`);
  return outcomes.every((one) => 'answer' in one) ? 0 : 1;
}
