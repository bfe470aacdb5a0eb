/** What becomes of an answer for who sees no personal data: ids are hashes, and what is personal is not there. */
import { createHmac } from 'node:crypto';
import type { Hides } from '../../lib/dsl/plan/hides.ts';
import type { Field, Plan } from '../../lib/dsl/plan/plan.ts';
import type { Cell } from '../../lib/dsl/plan/table.ts';
import type { Answer, Line, Sheet } from './table.ts';
import { isObject } from './world.ts';

const IDS = ['user_id', 'device_id', 'session_id', 'distinct_id', 'insert_id'];
const EMPTIED = ['email', '_ip', '_ua'];
/** Columns of objects, and the keys in them that every project hides. */
const OBJECTS: { readonly [column: string]: readonly string[] } = {
  event_properties: ['email'],
  user_properties: ['email', 'name'],
  properties: ['email', 'name'],
};

export function hash(id: string, key: string): string {
  return `h_${createHmac('sha256', key).update(id).digest('hex').slice(0, 32)}`;
}

/** The sheet of a source with other cells, and sorted by them. */
export function hidden(sheet: Sheet, plan: Plan): Sheet {
  const { hides } = plan;
  if (hides === undefined) return sheet;
  const changes = sheet.columns.map(({ name }, at) => changeOf(plan, at, name, hides));
  const lines = sheet.lines.map(({ cells, keys }): Line => {
    const changed = cells.map((cell, at) => changes[at]?.(cell, cells) ?? (changes[at] === undefined ? cell : null));
    const ofHashes = keys.map((key, at) => hashOf(changed[at], cells[at]) ?? key);
    // Rows of chosen fields are sorted by the id of the profile, which need be none of them.
    if (plan.kind === 'users' && plan.fields !== undefined)
      ofHashes[ofHashes.length - 1] = hash(String(keys.at(-1)), hides.key);
    return { cells: changed, keys: ofHashes };
  });
  return { ...sheet, lines };
}

/** Without the columns that are hidden as a whole. */
export function withoutHidden({ columns, rows, total }: Answer, plan: Plan): Answer {
  const { hides } = plan;
  const isRows = plan.kind === 'list' || (plan.kind === 'users' && plan.metrics.length + plan.groups.length === 0);
  if (hides === undefined || !isRows || plan.fields !== undefined) return { columns, rows, total };
  const gone = [...EMPTIED, ...hides.personal.map(lower)];
  const shown = columns.flatMap(({ name }, at) => (gone.includes(name) ? [] : [at]));
  return {
    columns: shown.map((at) => columns[at]!),
    rows: rows.map((row) => shown.map((at) => row[at] ?? null)),
    total,
  };
}

type Change = (cell: Cell, row: readonly Cell[]) => Cell;

/** The cell if it is a hash now. */
const hashOf = (now: Cell | undefined, before: Cell | undefined): string | null =>
  typeof now === 'string' && now !== before ? now : null;

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : JSON.stringify(cell));

const lower = (text: string): string => text.toLowerCase();

function changeOf(plan: Plan, at: number, column: string, hides: Hides): Change | undefined {
  const hashed: Change = (cell) => (cell === null ? null : hash(textOf(cell), hides.key));
  const isOfRows = plan.kind === 'list' || plan.kind === 'users';
  if (isOfRows && plan.fields !== undefined) return isId(plan, plan.fields[at]?.field) ? hashed : undefined;
  if (plan.kind === 'latest' && plan.metrics.length === 0) {
    const field = at === 0 ? plan.entity : at === 1 ? plan.field : undefined;
    return isId(plan, field) ? hashed : undefined;
  }
  const groups = 'groups' in plan ? plan.groups : [];
  const group = groups[at];
  if (group !== undefined) return group.kind === 'field' && isId(plan, group.field) ? hashed : undefined;
  const isMetric = 'metrics' in plan && plan.metrics.length > 0;
  if (isOfRows && !isMetric) {
    const keys = OBJECTS[column];
    if (keys !== undefined) return (cell) => stripped(cell, [...keys, ...hides.personal].map(lower), '');
    return IDS.includes(column) ? hashed : undefined;
  }
  if (plan.kind !== 'inspect' || plan.event === null || column !== 'samples') return undefined;
  return (cell, [name = null]) => (isToldOf(textOf(name).replaceAll('"', ''), hides.personal.map(lower)) ? cell : null);
}

function isId(plan: Plan, field: Field | undefined): boolean {
  if (field?.kind === 'latest' && plan.kind === 'latest' && field.name !== 'set_at')
    return isId(plan, field.name === 'entity' ? plan.entity : plan.field);
  return (field?.kind === 'core' || field?.kind === 'account') && IDS.includes(field.name);
}

/** The object without what is named, by its path, or lies inside of that; of what lies around it the rest. */
function stripped(cell: unknown, named: readonly string[], path: string): Cell {
  if (!isObject(cell)) return null;
  const kept = Object.entries(cell).flatMap(([key, value]): [string, unknown][] => {
    const own = lower(path + key);
    if (named.some((name) => own === name || own.startsWith(`${name}.`))) return [];
    if (!named.some((name) => name.startsWith(`${own}.`))) return [[key, value]];
    return isObject(value) ? [[key, stripped(value, named, `${path}${key}.`)]] : [];
  });
  return Object.fromEntries(kept);
}

/** What a field of sessions is called, and the field of events that it is of. */
function namesOfSession(name: string): readonly string[] {
  const [, own = ''] = /^session\.(.*)$/.exec(name) ?? [];
  return [own, own === 'referring_domain' ? '_referrer_domain' : `_${own.replace(/^(landing|exit)_/, '')}`];
}

/** Whether `inspect` shows values of a field. */
function isToldOf(name: string, named: readonly string[]): boolean {
  if (IDS.includes(name) || EMPTIED.includes(name) || named.includes(name)) return false;
  const [, object, key = ''] = /^(event_properties|user_properties|user)\.(.*)$/s.exec(name) ?? [];
  if (object === undefined) return !namesOfSession(name).some((one) => named.includes(one));
  const always = OBJECTS[object === 'user' ? 'properties' : object] ?? [];
  const own = lower(key);
  return ![...always, ...named].some(
    (other) => own === other || own.startsWith(`${other}.`) || other.startsWith(`${own}.`),
  );
}
