/** Refuses queries that would show personal data to somebody who sees none, or tell by their rows whom they are of. */
import { failAt, type BindingScope } from './binding.ts';
import { columnsAfter, columnsOf } from '../plan/columns.ts';
import { testsOf } from '../plan/conditions.ts';
import { didPlans } from '../plan/did.ts';
import { fieldKey, type FieldScope, fieldName, findField, storedFields } from '../plan/fields.ts';
import { heldBy, isChanged, isId, isPersonal } from '../plan/personal.ts';
import { groupsOfPeople } from '../plan/people.ts';
import { type FieldPlace, fieldUses, storedField } from '../plan/plan-uses.ts';
import type { Personal } from '../plan/hides.ts';
import type { Field, Plan } from '../plan/plan.ts';
import { fieldText } from '../hints/name-text.ts';
import type { Query, Span } from '../parse/syntax.ts';

/**
 * What a query may do with ids where whoever asks sees hashes of them; null: all that it tells stays a hash or a number. Anything
 * else would tell something of the id itself.
 */
const WITH_IDS: Readonly<Record<FieldPlace, string | null>> = {
  group: null,
  unique: null,
  per: null,
  cell: null,
  newest: null,
  entity: null,
  same: null,
  unit: null,
  condition: 'no condition may ask for one',
  bin: 'they have no bins',
  each: 'they are no lists',
  metric: 'only `unique` counts them',
  order: 'no rows are sorted by one',
  label: 'they label no nodes',
};

/**
 * Throws QueryError at the first place that names personal data, asks for a person, or takes of an id more than its hash.
 * @param plan As bound to the tree. @param named What the project names as personal.
 */
export function refusePersonal(
  { query }: Pick<BindingScope, 'query'>,
  tree: Query,
  plan: Plan,
  named: readonly string[],
): void {
  if (tree.source.kind === 'user') {
    failAt({ query }, tree.source.id, `expected another source: ${ONLY_HASHES}, so it asks for no single user`, [SEES]);
  }
  for (const one of [plan, ...didPlans(plan).map((did) => did.plan)]) {
    for (const { field, place } of fieldUses(one)) {
      for (const stored of storedFields(field))
        refuseField({ query, tree, named }, storedField(one, stored), field, place);
    }
  }
  refuseColumns({ query, tree, named }, plan);
}

/** What a query may do with fields of profiles where whoever asks sees none: only what many have in common is shown. */
const WITH_PROFILES: readonly FieldPlace[] = ['condition', 'group', 'bin', 'each', 'metric', 'unique', 'per', 'same', 'unit']; // prettier-ignore

/**
 * Throws QueryError at the first place that names an e-mail address, or shows of a single person what a profile has, as a cell of
 * a row or beside an id.
 */
export function refuseProfiles({ query }: Pick<BindingScope, 'query'>, tree: Query, plan: Plan): void {
  const hints = [ASK_A_MEMBER];
  const shows = showsPersons(plan);
  for (const one of [plan, ...didPlans(plan).map((did) => did.plan)]) {
    for (const { field, place } of fieldUses(one)) {
      for (const stored of storedFields(field).map((each) => storedField(one, each))) {
        if (!isPersonal(stored, 'profiles')) continue;
        const name = `\`${fieldText(fieldName(stored))}\``;
        const isEmail = stored.kind === 'account' ? stored.name === 'email' : stored.kind !== 'arithmetic' && 'path' in stored && /^email$/i.test(stored.path); // prettier-ignore
        if (isEmail) failAt({ query }, spanOf(tree, stored), `expected another field than ${name}: viewers see no e-mail addresses`, hints); // prettier-ignore
        const isShown = shows && place !== 'condition' && place !== 'same' && place !== 'unit';
        if (isShown || !WITH_PROFILES.includes(place)) {
          failAt({ query }, spanOf(tree, stored), `expected another field than ${name} where rows are of single people: viewers see no profiles`, [`\`count by ${fieldText(fieldName(stored))}\` works`, ...hints]); // prettier-ignore
        }
      }
    }
  }
  refuseColumns({ query, tree, named: 'profiles' }, plan);
}

/** Whether rows of the answer are of persons. */
const showsPersons = (plan: Plan): boolean =>
  plan.people !== undefined ||
  plan.kind === 'list' ||
  (plan.kind === 'users' && plan.metrics.length === 0) ||
  (plan.kind === 'latest' && plan.metrics.length === 0) ||
  groupsOfPeople(plan).some((group) => group.kind === 'field' && storedFields(group.field).some((field) => isId(storedField(plan, field)))); // prettier-ignore

const ASK_A_MEMBER = 'ask a member of the organization, or an admin for the role of one';

const ONLY_HASHES = 'this token sees ids only as hashes';
const SEES = 'ask with a token that sees personal data';

interface Refusing {
  readonly query: string;
  readonly tree: Query;
  readonly named: Personal;
}

/** @param stored The field of the values. @param field As the plan names it. */
function refuseField({ query, tree, named }: Refusing, stored: Field, field: Field, place: FieldPlace): void {
  const isComputed = field.kind === 'arithmetic';
  if (isPersonal(stored, named)) {
    const name = fieldText(fieldName(stored));
    failAt({ query }, spanOf(tree, stored), `expected a field without personal data: \`${name}\` is personal, and this token sees none`, [SEES]); // prettier-ignore
  }
  if (!isId(stored)) return;
  const why = isComputed ? 'they are no numbers' : WITH_IDS[place];
  if (why !== null) {
    const name = fieldText(fieldName(stored));
    failAt({ query }, spanOf(tree, field.kind === 'latest' ? field : stored), `expected another field than \`${name}\`: ${ONLY_HASHES}, and ${why}`, [`\`by ${name}\` and \`unique ${name}\` work`, SEES]); // prettier-ignore
  }
}

/** Refuses to sort or to choose rows by columns whose cells are others, or none, for whoever asks. */
function refuseColumns({ query, tree, named }: Refusing, plan: Plan): void {
  const own = columnsOf(plan);
  const changed = new Set(heldBy(plan, own).flatMap((held, at) => (isChanged(held, named) ? [own[at]] : [])));
  const refuse = (column: (typeof own)[number] | undefined, stage: 'sort' | 'having'): void => {
    if (column === undefined || !changed.has(column)) return;
    const span = tree.stages.find(({ kind }) => kind === stage) ?? tree.source;
    const [why, hint] = named === 'profiles' ? ['viewers do not see it', ASK_A_MEMBER] : [`this token sees no personal data and ids only as hashes, so \`${stage}\` cannot use it`, SEES]; // prettier-ignore
    failAt({ query }, span, `expected another column than \`${column.name}\`: ${why}`, [hint]);
  };
  let columns = own;
  for (const stage of plan.tableStages) {
    if (stage.kind === 'having') for (const { field } of testsOf(stage.condition)) refuse(columns[field], 'having');
    columns = columnsAfter(columns, stage);
  }
  if (plan.order.kind === 'sort') refuse(columns[plan.order.column], 'sort');
}

const SCOPES: readonly FieldScope[] = ['events', 'users', 'latest', 'choice'];

/** Where the query first names the field; its source if it does so by no name of its own. */
function spanOf(tree: Query, field: Field): Span {
  const key = fieldKey(field);
  const names = (name: string, text: string): boolean =>
    SCOPES.some((scope) => {
      const found = findField(scope, name, text.endsWith('"'));
      return found !== null && fieldKey(found) === key;
    });
  const search = (node: unknown): Span | null => {
    if (typeof node !== 'object' || node === null) return null;
    if ('name' in node && 'text' in node && 'start' in node && 'end' in node) {
      const { name, text, start, end } = node;
      const isSpan = typeof start === 'number' && typeof end === 'number';
      if (typeof name === 'string' && typeof text === 'string' && isSpan && names(name, text)) return { start, end };
    }
    for (const part of Object.values(node)) {
      const found = search(part);
      if (found !== null) return found;
    }
    return null;
  };
  return search(tree) ?? tree.source;
}
