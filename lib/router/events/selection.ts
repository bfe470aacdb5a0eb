/** Which events a request to delete some means: conditions of the language, put together to one query. */
import { AppError } from '../../base/errors.ts';
import { LONGEST_NAME } from '../../base/text/longest-name.ts';
import { QueryError } from '../../dsl/errors.ts';
import { quote } from '../../dsl/parse/lex-string.ts';
import { parse } from '../../dsl/parse/parse.ts';
import { parseWhere } from '../../dsl/parse/parse-condition.ts';
import type { ListPlan, Plan } from '../../dsl/plan/plan.ts';
import type { Changes } from '../../control/types.ts';
import { JsonBody } from '../route/json-body.ts';
import { list } from '../route/schema.ts';

/** As sent. All of what is given must be true of an event. */
export interface Selection {
  readonly event?: string | readonly string[];
  /** As a stage of the language. */
  readonly range?: string;
  readonly import_id?: string;
  readonly where?: string;
  readonly dry_run?: boolean;
}

/** Not empty, and of at most so many characters. */
const textOf = (most: number): object => ({ type: 'string', pattern: `^[^]{1,${most}}$` });
const NAME = textOf(LONGEST_NAME);

export const SELECTION = new JsonBody<Selection>(
  'selection',
  {
    properties: {
      event: { anyOf: [NAME, { ...list(NAME), minItems: 1, maxItems: 100 }], description: 'One or several names of events.' },
      range: { ...textOf(200), description: 'When they happened, as in a query: `last 30d`, `since 2026-01-01`, `from 2026-01-01 to 2026-02-01`. Without one, of all times.' },
      import_id: { ...textOf(64), description: 'The import that brought them.' },
      where: { ...textOf(4_096), description: 'A condition of the language, as it stands behind `where`.' },
      dry_run: { type: 'boolean', default: false, description: 'Only counts them.' },
    },
  },
  {
    '': 'The body must be a JSON object with "event", "range", "import_id" or "where".',
    '/event': '"event" must be a name, or a list of up to 100 names.',
    '/range': '"range" must be a text such as "last 30d" or "since 2026-01-01".',
    '/import_id': '"import_id" must be a text of at most 64 characters.',
    '/where': '"where" must be a condition in the pipe language, of at most 4,096 characters.',
    '/dry_run': '"dry_run" must be true or false.',
  },
  { isRequired: false },
); // prettier-ignore

/** The query that lists them. Throws AppError 400 for what selects all events, or is more than a condition and a range. */
export function queryOf({ event = [], range, import_id: importId, where }: Selection): string {
  const names = typeof event === 'string' ? [event] : event;
  if (where !== undefined) parseWhere(where);
  const conditions = [
    ...(names.length === 0 ? [] : [`event_type in (${names.map(quote).join(', ')})`]),
    ...(importId === undefined ? [] : [`_import_id = ${quote(importId)}`]),
    ...(where === undefined ? [] : [`(${where})`]),
  ];
  const isEver = range === undefined || isAll(range);
  if (conditions.length === 0 && isEver) throw unbounded();
  const filter = conditions.length === 0 ? '' : `| where ${conditions.join(' and ')} `;
  return `* ${filter}| with bots | ${isEver ? 'last 1d' : range} | list`;
}

/** The plan of that query once it is read, over all times where no range was given. */
export function planOf(plan: Plan, { range }: Selection): ListPlan {
  if (plan.kind !== 'list') throw new Error(`a list of events was read as ${plan.kind}`);
  return range === undefined || isAll(range) ? { ...plan, range: EVER } : plan;
}

/** What the audit trail keeps: no values of a condition, which may name somebody. */
export function changesOf({ event, range, import_id: importId, where }: Selection, events: number): Changes {
  const names = typeof event === 'string' ? event : (event?.join(', ') ?? null);
  const gone = (value: string | null | undefined): Changes[string] => ({ from: value ?? null, to: null });
  const condition = where === undefined ? null : 'a condition';
  return {
    events: { from: events, to: 0 },
    ...{ event: gone(names), range: gone(range), import_id: gone(importId), where: gone(condition) },
  };
}

/** Whatever a Date can be. */
const EVER = { from: -8.64e15, to: 8.64e15 };

/** Throws AppError for what is no range. */
function isAll(range: string): boolean {
  try {
    const { stages } = parse(`* | ${range}`);
    const [stage, ...more] = stages;
    if (stage?.kind === 'range' && more.length === 0) return stage.range.kind === 'all';
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
  }
  throw new AppError('bad_request', '"range" is no range of the language.', {
    hints: ['Write "last 30d", "since 2026-01-01" or "from 2026-01-01 to 2026-02-01".'],
  });
}

function unbounded(): AppError {
  return new AppError('bad_request', 'This would delete all events: name at least one condition.', {
    hints: [
      'Give "event", "range", "import_id" or "where", and "dry_run": true to count them first.',
      'To be rid of everything, delete the project.',
    ],
  });
}
