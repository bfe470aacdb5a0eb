/** Tools that ask: all are queries, so what POST /query refuses, they refuse. */
import { errorBody, noteError } from '../answer-error.ts';
import { quote } from '../../dsl/parse/lex-string.ts';
import { AppError } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { ProjectCredential } from '../auth/credentials.ts';
import { howItRan } from '../query/query.ts';
import { ask, ANSWER_FORMATS, type ToolQuestion, rowsOf, rowsText } from './ask.ts';
import { dataBlocks, dataResult, errorResult, MOST_BYTES } from './result.ts';
import { parsedRows, cutRows } from './rows.ts';
import { type ToolCall, projectTool, READS } from './tool.ts';

/** Rows of a page: by default, and at most. */
const ROWS = 50;
const MOST_ROWS = 500;

type Format = (typeof ANSWER_FORMATS)[number];

interface Paging {
  readonly limit?: number;
  readonly offset?: number;
  readonly timezone?: string;
}

interface Asking extends Paging {
  readonly q: string;
  readonly format?: Format;
}

const text = (description: string, must: string) => ({ schema: { type: 'string', description }, must });

const Q = text('Query in the pipe language', '"q" must be a query, a string.');
const LAST = text('Range, such as 7d', '"last" must be a range such as "7d" or "12w".');
const TIMEZONE = text('IANA name', '"timezone" must be the name of a time zone, such as "Europe/Berlin".');
const LIMIT = {
  schema: { type: 'integer', minimum: 1, maximum: MOST_ROWS, default: ROWS },
  must: `"limit" must be a whole number from 1 to ${MOST_ROWS}.`,
};
const OFFSET = {
  schema: { type: 'integer', minimum: 0, default: 0 },
  must: '"offset" must be a whole number of at least 0.',
};
const PAGING = { limit: LIMIT, offset: OFFSET, timezone: TIMEZONE };
const FORMAT = {
  schema: { enum: [...ANSWER_FORMATS], default: 'markdown', description: 'Of the text' },
  must: '"format" must be "markdown", "json" or "csv".',
};

/** Answers a query with rows. */
async function answer(call: ToolCall, credential: ProjectCredential, { format = 'markdown', ...asked }: Asking) {
  const question = { ...asked, limit: asked.limit ?? ROWS };
  const ran = await ask(call, credential, question);
  const rows = rowsOf(ran, asked.offset ?? 0, MOST_BYTES);
  return dataResult(rowsText(ran, rows, format, ran.watch), rows);
}

const query = projectTool<Asking>({
  name: 'query',
  description:
    'Asks a question in the pipe language, e.g. `signup | count by day | last 30d`, `funnel a -> b -> c`, `retention signup`. See query_help. Markdown has percentages; structured content has raw numbers.',
  scope: 'query',
  annotations: READS,
  required: ['q'],
  takes: { q: Q, ...PAGING, format: FORMAT },
  run: (call, args, credential) => answer(call, credential, args),
});

/** Queries of one call. */
const MOST_QUERIES = 8;

const queryMany = projectTool<{ readonly queries: readonly string[]; readonly timezone?: string }>({
  name: 'query_many',
  description: `Asks up to ${MOST_QUERIES} questions at once, ${ROWS} rows each. One that fails does not stop the others.`,
  scope: 'query',
  annotations: READS,
  required: ['queries'],
  takes: {
    queries: {
      schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST_QUERIES },
      must: `"queries" must be a list of 1 to ${MOST_QUERIES} queries, which are strings.`,
    },
    timezone: TIMEZONE,
  },
  run: async (call, { queries, ...more }, credential) => {
    const most = Math.floor(MOST_BYTES / queries.length);
    const answers = await Promise.all(
      queries.map((q) => answerOrError(call, credential, { ...more, q, limit: ROWS }, most)),
    );
    const results = answers.map(({ structured }) => structured);
    const told = dataBlocks(
      answers.map(({ said }) => said),
      { results },
    );
    return answers.every(({ failed }) => failed) ? { ...told, isError: true } : told;
  },
});

async function answerOrError(call: ToolCall, credential: ProjectCredential, question: ToolQuestion, most: number) {
  try {
    const ran = await ask(call, credential, question);
    const rows = rowsOf(ran, 0, most);
    const said = `${question.q}\n\n${rowsText(ran, rows, 'markdown', ran.watch)}`;
    return { failed: false, said, structured: rows };
  } catch (error) {
    const data = noteError(call.request, error, call.services);
    const [said] = errorResult(data).content;
    return {
      failed: true,
      said: `${question.q}\n\n${said?.type === 'text' ? said.text : ''}`,
      structured: errorBody(data),
    };
  }
}

const explain = projectTool<Pick<Asking, 'q' | 'timezone'>>({
  name: 'explain',
  description: 'Shows how a query was read and ran: plan, parts, times, rows scanned.',
  scope: 'query',
  annotations: READS,
  required: ['q'],
  takes: { q: Q, timezone: TIMEZONE },
  run: async (call, args, credential) => {
    const ran = await ask(call, credential, { ...args, limit: 1, explain: true });
    const read = readJson(ran.read.explained ?? '{}');
    const told = { ...(isRecord(read) ? read : {}), ...howItRan(ran, ran.watch) };
    const said = JSON.stringify(told);
    if (Buffer.byteLength(said) <= MOST_BYTES) return dataResult(said, told);
    throw new AppError('bad_query', `The explanation has more than ${MOST_BYTES.toLocaleString('en')} bytes.`, {
      hints: ['Explain a part of the query.'],
    });
  },
});

interface Inspecting {
  readonly event?: string;
  readonly search?: string;
  readonly last?: string;
}

/** Bytes of an answer in which names are looked for. */
const SEARCHED = 524_288;

const inspect = projectTool<Inspecting>({
  name: 'inspect',
  description:
    'Lists the events of the project, or with `event` its fields with samples. Call it first: do not guess names.',
  scope: 'query',
  annotations: READS,
  takes: {
    event: text('Name', '"event" must be the name of an event.'),
    search: text('Only names with this text', '"search" must be a text that names contain.'),
    last: LAST,
  },
  run: async (call, { event, search, last }, credential) => {
    const q = `inspect ${event === undefined ? '*' : quote(event)}${lastStage(last)}`;
    if (search === undefined) return answer(call, credential, { q, limit: MOST_ROWS });
    const ran = await ask(call, credential, { q, limit: 10_000 });
    const { page } = ran.result;
    const all = parsedRows(page.text, SEARCHED);
    const found = all.filter((row) =>
      String(row[page.columns[0]?.name ?? ''])
        .toLowerCase()
        .includes(search.toLowerCase()),
    );
    const unseen = page.total - all.length;
    const notes =
      unseen === 0 ? ran.notes : [...ran.notes, `Only the first ${all.length} of ${page.total} names were looked at.`];
    const columns = page.columns.map(({ name }) => name);
    const counts = { total: found.length, wanted: found.length, offset: 0 };
    const rows = cutRows({ columns, rows: found, ...counts, notes }, MOST_BYTES);
    return dataResult(rowsText(ran, rows, 'markdown', ran.watch), rows);
  },
});

/** Throws AppError 400 for what is no range: it would be read as further stages. */
function lastStage(last: string | undefined): string {
  if (last === undefined) return '';
  if (/^\d{1,5} ?[a-z]{1,8}$/i.test(last)) return ` | last ${last}`;
  throw new AppError('bad_request', LAST.must);
}

const timeline = projectTool<Paging & { readonly user_id: string; readonly last?: string }>({
  name: 'user_timeline',
  description: 'Lists the events of one person, newest first, by user or device id.',
  scope: 'query',
  annotations: READS,
  required: ['user_id'],
  takes: { user_id: text('distinct_id', '"user_id" must be the id of a person, a string.'), last: LAST, ...PAGING },
  run: (call, { user_id, last, ...paging }, credential) =>
    answer(call, credential, { ...paging, q: `user ${quote(user_id)} | list${lastStage(last)}` }),
});

const people = projectTool<Paging & { readonly q: string; readonly which?: string }>({
  name: 'people',
  description: 'Lists the people behind the answer to a query: ids, e-mail, time.',
  scope: 'query',
  annotations: READS,
  required: ['q'],
  takes: {
    q: Q,
    which: text('e.g. `dropped 2` of a funnel, `lost 1` of a retention', '"which" must be words such as "dropped 2".'),
    ...PAGING,
  },
  run: (call, { q, which = '', ...paging }, credential) => {
    if (!/^[a-z0-9 ]{0,40}$/i.test(which))
      throw new AppError('bad_request', '"which" must be words such as "dropped 2".');
    // On a line of its own, as a query may end with a comment.
    return answer(call, credential, { ...paging, q: `${q}\n| people ${which}`.trimEnd() });
  },
});

export const QUERY_TOOLS = [inspect, query, queryMany, explain, timeline, people];
