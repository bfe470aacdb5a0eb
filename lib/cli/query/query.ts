import { clientCommand } from '../client/client-command.ts';
import { readStdin } from '../client/stdin.ts';
import { UsageError } from '../command.ts';
import { showAnswer } from './show-answer.ts';
import { showList } from './query-list.ts';
import { splitQueries } from './split-queries.ts';
import { wholeNumber } from './whole-number.ts';

const MAX_STDIN = 1_048_576; // bytes
const MAX_QUERIES = 1_000; // their answers are held until all have arrived
const MAX_CONCURRENCY = 64;

export const query = clientCommand({
  usage: 'query [q]',
  aliases: ['q'],
  summary: 'Run a query, or a list of them',
  examples: [
    ['wl query "signup | last 7d | count by day"', 'one query'],
    ['wl q "* | count" --format csv --limit 1000', 'as CSV'],
    ['wl query --query "signup | count" --query "purchase | count"', 'a list: { "results": […] }'],
    ['wl query - < questions.txt', 'from stdin: one query, or one per line'],
  ],
  options: {
    q: { type: 'string', describe: 'The query; - reads one from stdin, or one per line' },
    limit: { type: 'number', requiresArg: true, describe: 'Maximum number of rows, up to 10,000 [default: 100]' },
    offset: { type: 'number', requiresArg: true, describe: 'Number of rows to skip [default: 0]' },
    query: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'A query; repeat to run a list',
    },
    concurrency: {
      type: 'number',
      default: 8,
      requiresArg: true,
      describe: 'Number of queries of a list to run at once',
    },
  },
  completes: { q: 'query', query: 'query' },
  formats: ['table', 'json', 'csv', 'markdown'],
  run: async (args, session) => {
    const concurrency = wholeNumber('concurrency', args.concurrency, 1, MAX_CONCURRENCY);
    const page = {
      limit: args.limit === undefined ? undefined : wholeNumber('limit', args.limit, 1, 10_000),
      offset: args.offset === undefined ? undefined : wholeNumber('offset', args.offset, 0, Number.MAX_SAFE_INTEGER),
    };
    const { queries, isList } = await queriesOf(args, session.signal);
    const [first = ''] = queries;
    if (!isList) {
      await showAnswer(session, first, page);
      return 0;
    }
    if (session.output.format === 'csv') throw new UsageError('csv works for a single query only; use json for a list');
    return showList(session, queries, { page, concurrency });
  },
});

/** A list comes from --query, or from several queries on stdin. Throws UsageError if there is none or too many. */
async function queriesOf(
  { q, query: list = [] }: { q: string | undefined; query: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<{ queries: readonly string[]; isList: boolean }> {
  const leading = q === '-' ? splitQueries(await readStdin(MAX_STDIN, signal)) : q === undefined ? [] : [q];
  const queries = [...leading, ...list];
  if (queries.length === 0) {
    throw new UsageError(q === '-' ? 'stdin has no query' : 'the query is missing; try `wl query "inspect *"`');
  }
  if (queries.length > MAX_QUERIES)
    throw new UsageError(`a list may have at most ${MAX_QUERIES} queries, not ${queries.length}`);
  return { queries, isList: list.length > 0 || queries.length > 1 };
}
