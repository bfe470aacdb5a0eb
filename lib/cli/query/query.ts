import { clientCommand, asRecord, asRecords } from '../client/client-command.ts';
import { readStdin } from '../client/stdin.ts';
import { UsageError, optional, positional, repeated, wholeNumberOption } from '../command.ts';
import { LARGEST_PAGE, showAllPages } from './all-pages.ts';
import { showAnswer } from './show-answer.ts';
import { showList, splitQueries } from './query-list.ts';
import { askExplanation, quoted } from './ask.ts';
import type { JsonRecord } from '../../base/is-record.ts';
import { counted } from '../text.ts';

const MAX_QUERIES = 1_000; // their answers are held until all have arrived

export const query = clientCommand({
  usage: 'query [q]',
  aliases: ['q'],
  summary: 'Run a query, or a list of them',
  examples: [
    ['wl query "signup | last 7d | count by day"', 'one query'],
    ['wl q "* | count" --format csv --limit 1000', 'as CSV'],
    ['wl q "purchase | last 90d | people" --format csv --all > people.csv', 'every row, however many'],
    ['wl query --query "signup | count" --query "purchase | count"', 'a list: { "results": […] }'],
    ['wl query - < questions.txt', 'from stdin: one query, or one per line'],
  ],
  options: {
    q: { type: 'string', describe: 'The query; - reads one from stdin, or one per line' },
    limit: { type: 'number', requiresArg: true, describe: 'Maximum number of rows, up to 10,000 [default: 100]' },
    offset: { type: 'number', requiresArg: true, describe: 'Number of rows to skip [default: 0]' },
    cursor: {
      type: 'string',
      requiresArg: true,
      describe: 'Instead of --offset, of a list: goes on behind the page that named it',
    },
    all: { type: 'boolean', describe: 'Every row, in pages of 10,000; only with --format csv' },
    query: repeated('A query; repeat to run a list'),
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
    const concurrency = wholeNumberOption('concurrency', args.concurrency, 1, 64);
    const page = {
      limit: args.limit === undefined ? undefined : wholeNumberOption('limit', args.limit, 1, LARGEST_PAGE),
      offset:
        args.offset === undefined ? undefined : wholeNumberOption('offset', args.offset, 0, Number.MAX_SAFE_INTEGER),
      cursor: args.cursor,
    };
    const { queries, isList } = await queriesOf(args, session.signal);
    const [first = ''] = queries;
    const isCsv = session.output.format === 'csv';
    if (args.all === true) {
      if (!isCsv || queries.length !== 1) throw new UsageError('--all works for a single query, with --format csv');
      if (page.limit !== undefined) throw new UsageError('--all takes every row: leave --limit out');
      await showAllPages(session, first, page);
      return 0;
    }
    if (!isList || (isCsv && queries.length === 1)) {
      await showAnswer(session, first, page);
      return 0;
    }
    if (isCsv) throw new UsageError('csv works for a single query only; use json for a list');
    return showList(session, queries, { page, concurrency });
  },
});

/** A list comes from --query, or from several queries on stdin. Throws UsageError if there is none or too many. */
async function queriesOf(
  { q, query: list = [] }: { q: string | undefined; query: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<{ queries: readonly string[]; isList: boolean }> {
  const leading = q === '-' ? splitQueries(await readStdin(1_048_576, signal)) : q === undefined ? [] : [q]; // bytes
  const queries = [...leading, ...list];
  if (queries.length === 0) {
    throw new UsageError(q === '-' ? 'stdin has no query' : 'the query is missing; try `wl query "inspect *"`');
  }
  if (queries.length > MAX_QUERIES)
    throw new UsageError(`a list may have at most ${MAX_QUERIES} queries, not ${queries.length}`);
  return { queries, isList: list.length > 0 || queries.length > 1 };
}

export const explainCommand = clientCommand({
  usage: 'explain <q>',
  summary: 'Show how a query runs: its plan and the time of each stage',
  examples: [
    ['wl explain "signup | last 7d | count by day"', 'the plan and the times'],
    ['wl explain - --json < question.txt', 'everything the server reports, for programs'],
  ],
  options: { q: positional('The query; - reads it from stdin') },
  completes: { q: 'query' },
  run: async ({ q }, { api, output, signal }) => {
    const explanation = await askExplanation(api, q === '-' ? await readStdin(131_072, signal) : q); // bytes
    if (output.format === 'json') {
      output.json(explanation);
      return;
    }
    output.raw(`${planLines(explanation).join('\n')}\n\n`);
    const times = asRecords(explanation['times']).map(({ stage, ms }) => [stage, ms]);
    const rows = counted(Number(explanation['rows_scanned']), 'row');
    const parts = counted(asRecords(explanation['parts']).length, 'part');
    await output.table({
      columns: [{ name: 'stage' }, { name: 'ms', type: 'number' }],
      rows: times,
      footer: [`${rows} scanned in ${parts}`],
    });
  },
});

/** The executed plan: the result of the last pass that changed it. */
function planLines(explanation: JsonRecord): readonly string[] {
  const plans = asRecords(explanation['passes']).filter(({ changed }) => changed === true);
  const { plan } = asRecord(plans.at(-1) ?? {});
  return Array.isArray(plan) ? plan.map(String) : [];
}

export const inspect = clientCommand({
  usage: 'inspect [event]',
  summary: 'List the events of a project, or the fields of one event',
  examples: [
    ['wl inspect', 'the events of the last 30 days'],
    ['wl inspect signup --last 90d', 'the fields of signup, with examples'],
  ],
  options: {
    event: { type: 'string', describe: 'Name of an event [default: all events]' },
    last: optional('Time range [default: 30d, or 7d for one event]'),
  },
  completes: { event: 'event' },
  formats: ['table', 'json', 'csv', 'markdown'],
  run: async ({ event, last }, session) => {
    const isAll = event === undefined || event === '*';
    const range = rangeText('last', last ?? (isAll ? '30d' : '7d'));
    await showAnswer(session, `inspect ${isAll ? '*' : quoted(event)} | last ${range}`, {});
  },
});

/** A duration in the language's syntax, `30d`. The server knows the units. Throws UsageError. */
export function rangeText(option: string, text: string): string {
  const range = text.trim();
  if (/^\d+\s*[a-z]+$/i.test(range)) return range;
  throw new UsageError(`--${option} must be a time like 7d, 12h, 4w or 3mo`);
}
