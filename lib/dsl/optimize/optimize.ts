/** The optimizer: a list of small passes, run in order, each once. */
import type { Plan, Condition, PlanLiteral, EventName, Field, PlanStep, TableStage } from '../plan/plan.ts';
import {
  join,
  joinAnd,
  mapCondition,
  mapConditions,
  type FieldTest,
  conditionKey,
  impliesExists,
  isTestOf,
  onOthers,
} from '../plan/conditions.ts';
import { columnsOf } from '../plan/columns.ts';
import { fieldKey, findField } from '../plan/fields.ts';
import { compileTest } from '../plan/value.ts';
import { isUnstoredEvent, isUnstoredField } from '../plan/unstored.ts';

/**
 * `list | having event_type = "signup"` → `list | where …`: rows of a list are events, and a column that is one of their fields
 * is tested as that field is. So no event is read that the answer does not show.
 */
export const pushHaving: Pass = { name: 'push-having', run: havingAsWhere };

function havingAsWhere(plan: Plan): Plan {
  if (plan.kind !== 'list') return plan;
  const columns = columnsOf(plan);
  const fieldAt = (at: number): Field | null => findField('events', columns[at]?.name ?? '');
  const [where, tableStages]: [Condition[], TableStage[]] = [plan.where === null ? [] : [plan.where], []];
  for (const stage of plan.tableStages) {
    const onFields = stage.kind === 'having' ? onOthers(stage.condition, fieldAt) : null;
    if (onFields === null) tableStages.push(stage);
    else where.push(onFields);
  }
  return { ...plan, where: joinAnd(where), tableStages };
}

const EVENT_TYPE: Field = { kind: 'core', name: 'event_type' };

/**
 * `* | where event_type = "signup"` → the event `signup`: finds its rows without looking at the others. The condition stays;
 * `fold-event-type` then sees that it is true.
 */
export const pushEventType: Pass = {
  name: 'push-event-type',
  run: (plan) => (isOfOneEvent(plan) && plan.event === null ? { ...plan, event: demandedType(plan.where) } : plan),
};

/**
 * All rows of these are of the event that they name, and their condition is on these rows alone: that of a funnel, a retention or
 * paths is on the events of all steps, of returns, of nodes.
 */
const OF_ONE_EVENT = ['aggregate', 'list', 'latest', 'lifecycle', 'stickiness'] as const;

function isOfOneEvent(plan: Plan): plan is Plan & { readonly kind: (typeof OF_ONE_EVENT)[number] } {
  return OF_ONE_EVENT.some((kind) => kind === plan.kind);
}

/** The only event type that can pass, or null. */
function demandedType(where: Condition | null): string | null {
  const terms = where?.kind === 'and' ? where.terms : where === null ? [] : [where];
  for (const term of terms) {
    if (isTestOf(term, EVENT_TYPE) && term.test.op === 'equals' && term.test.literal.type === 'string') {
      return term.test.literal.value;
    }
  }
  return null;
}

/** No row has a name that is too long to be stored: an event of such a name has none, and a test of such a property never passes. */
export const dropUnstored: Pass = { name: 'drop-unstored', run: dropTests };

function dropTests(plan: Plan): Plan {
  const known = mapConditions(plan, (condition) =>
    mapCondition(condition, (node) => (node.kind === 'test' && isUnstoredField(node.field) ? NEVER : node)),
  );
  if (isOfOneEvent(known) || known.kind === 'inspect') {
    return isUnstoredEvent(known.event) ? { ...known, where: NEVER } : known;
  }
  if (known.kind !== 'funnel') return known;
  return {
    ...known,
    steps: known.steps.map((step) => (step.events.every(isUnstoredEvent) ? { ...step, where: NEVER } : step)),
  };
}

const NEVER: Condition = { kind: 'constant', value: false };

/** `signup | where event_type != "login"`: if all rows have one event type, a test of it is constant. */
export const foldEventType: Pass = { name: 'fold-event-type', run: foldType };

function foldType(plan: Plan): Plan {
  if (isOfOneEvent(plan) || plan.kind === 'inspect') return { ...plan, where: foldCondition(plan.where, plan.event) };
  if (plan.kind !== 'funnel') return plan;
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, where: foldCondition(step.where, soleEvent(step)) })) };
}

/** null of several, as of any. */
const soleEvent = ({ events }: PlanStep): EventName => (events.length === 1 ? events[0]! : null);

function foldCondition(condition: Condition | null, event: EventName): Condition | null {
  if (condition === null || event === null) return condition;
  return mapCondition(condition, (node) =>
    isTestOf(node, EVENT_TYPE)
      ? { kind: 'constant', value: compileTest(node.test)({ type: 'string', text: event }) }
      : node,
  );
}

/** One step. It may change how an answer is found, never the answer. */
export interface Pass {
  readonly name: string;
  run(plan: Plan): Plan;
}

/** A pass that changes every node of every condition, from the leaves up. */
function conditionPass(name: string, change: (condition: Condition) => Condition): Pass {
  return { name, run: (plan) => mapConditions(plan, (condition) => mapCondition(condition, change)) };
}

/** `a and (b and c)` → `a and b and c`; `not not a` → `a`. */
export const flattenConditions = conditionPass('flatten-conditions', flatten);

function flatten(condition: Condition): Condition {
  if (condition.kind !== 'and' && condition.kind !== 'or')
    return condition.kind === 'not' && condition.term.kind === 'not' ? condition.term.term : condition;
  const { kind, terms } = condition;
  return join(
    kind,
    terms.flatMap((term) => (term.kind === kind ? term.terms : [term])),
  );
}

/** `a = 1 and a exists` → `a = 1`; duplicates occur once. */
export const dropRedundant = conditionPass('drop-redundant', drop);

function drop(condition: Condition): Condition {
  if (condition.kind !== 'and' && condition.kind !== 'or') return condition;
  const { kind } = condition;
  const once = [...new Map(condition.terms.map((term) => [conditionKey(term), term])).values()];
  return join(kind, kind === 'or' ? once : withoutImplied(once));
}

/** Drops terms that only require a field to exist which another term needs anyway. */
function withoutImplied(terms: readonly Condition[]): readonly Condition[] {
  const needed = new Set<string>();
  for (const term of terms) {
    if (term.kind === 'test' && term.test.op !== 'exists' && impliesExists(term.test)) needed.add(fieldKey(term.field));
  }
  return terms.filter((term) => term.kind !== 'test' || term.test.op !== 'exists' || !needed.has(fieldKey(term.field)));
}

/** `a = "x" and a = "y"` and `c and not c` → false; `c or not c` → true. */
export const findContradictions = conditionPass('find-contradictions', find);

function find(condition: Condition): Condition {
  if (condition.kind !== 'and' && condition.kind !== 'or') return condition;
  const { kind, terms } = condition;
  return hasOpposites(terms) || (kind === 'and' && hasTwoValues(terms))
    ? { kind: 'constant', value: kind === 'or' }
    : condition;
}

function hasOpposites(terms: readonly Condition[]): boolean {
  const keys = new Set(terms.map(conditionKey));
  return terms.some((term) => term.kind === 'not' && keys.has(conditionKey(term.term)));
}

/**
 * Whether one field would have to equal two literals that no value can equal at once. 42 and "42.0" can be one value, as can
 * true and 1: only literals of one type exclude each other.
 */
function hasTwoValues(terms: readonly Condition[]): boolean {
  const wanted = new Map<string, string | number | boolean>();
  for (const term of terms) {
    if (term.kind === 'test' && term.test.op === 'equals') {
      const { type, value } = term.test.literal;
      const key = `${type} ${fieldKey(term.field)}`;
      if (wanted.has(key) && wanted.get(key) !== value) return true;
      wanted.set(key, value);
    }
  }
  return false;
}

/** `a = 1 or a = 2 or a in (3)` → `a in (1, 2, 3)`: one look-up instead of several tests. A list of one becomes `=`. */
export const mergeEqualsIntoIn = conditionPass('merge-equals-into-in', merge);

function merge(condition: Condition): Condition {
  if (condition.kind === 'or') return join('or', mergeTerms(condition.terms));
  const literals = literalsOf(condition);
  return condition.kind === 'test' && literals !== null ? among(condition, literals) : condition;
}

/** The first test of a field absorbs the later ones. */
function mergeTerms(terms: readonly Condition[]): Condition[] {
  const merged = new Map<string, { readonly first: Condition; readonly literals: PlanLiteral[] }>();
  for (const [index, term] of terms.entries()) {
    const literals = literalsOf(term);
    const key = term.kind === 'test' && literals !== null ? fieldKey(term.field) : `other ${index}`;
    const before = merged.get(key);
    if (before === undefined) {
      merged.set(key, { first: term, literals: [...(literals ?? [])] });
    } else {
      before.literals.push(...(literals ?? []));
    }
  }
  return [...merged.values()].map(({ first, literals }) =>
    first.kind === 'test' && literals.length > 0 ? among(first, literals) : first,
  );
}

/** The values that the condition allows a field to equal, or null if it is another kind of test. */
function literalsOf(condition: Condition): readonly PlanLiteral[] | null {
  if (condition.kind !== 'test') return null;
  const { test } = condition;
  return test.op === 'equals' ? [test.literal] : test.op === 'in' ? test.literals : null;
}

function among({ kind, field }: FieldTest, literals: readonly PlanLiteral[]): Condition {
  const distinct = [...new Map(literals.map((literal) => [JSON.stringify(literal), literal])).values()];
  const [only] = distinct;
  return distinct.length === 1 && only !== undefined
    ? { kind, field, test: { op: 'equals', literal: only } }
    : { kind, field, test: { op: 'in', literals: distinct } };
}

/** `a and true` → `a`, `a or true` → true, a condition that is always true → none. */
export const foldConstants: Pass = {
  name: 'fold-constants',
  run: (plan) =>
    mapConditions(plan, (condition) => {
      const folded = mapCondition(condition, fold);
      return folded.kind === 'constant' && folded.value ? null : folded;
    }),
};

function fold(condition: Condition): Condition {
  if (condition.kind === 'and' || condition.kind === 'or')
    return foldJoined(condition.kind, condition.terms, condition.kind === 'or');
  return condition.kind === 'not' && condition.term.kind === 'constant'
    ? { kind: 'constant', value: !condition.term.value }
    : condition;
}

/** @param deciding The value with which one term decides the whole. */
function foldJoined(kind: 'and' | 'or', terms: readonly Condition[], deciding: boolean): Condition {
  if (terms.some((term) => term.kind === 'constant' && term.value === deciding)) {
    return { kind: 'constant', value: deciding };
  }
  const open = terms.filter((term) => term.kind !== 'constant');
  return open.length === 0 ? { kind: 'constant', value: !deciding } : join(kind, open);
}

export const PASSES: readonly Pass[] = [
  pushHaving,
  flattenConditions,
  pushEventType,
  dropUnstored,
  foldEventType,
  mergeEqualsIntoIn,
  dropRedundant,
  findContradictions,
  foldConstants,
];

export interface PassResult {
  readonly name: string;
  readonly plan: Plan;
}

/** The plan after each pass, in order. */
export function optimize(plan: Plan): readonly PassResult[] {
  const results: PassResult[] = [];
  let current = plan;
  for (const pass of PASSES) {
    current = pass.run(current);
    results.push({ name: pass.name, plan: current });
  }
  return results;
}
