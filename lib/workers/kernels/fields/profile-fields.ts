/** What the profiles of rows' persons say of them. */
import type { Profile } from '../../../shards/shard-reader.ts';
import type { QueryContext } from '../../query-context.ts';
import { emailDomain } from '../../rows/coded-profiles.ts';
import { typeOfValue, type FieldValues } from './field-values.ts';
import { accountField, fieldsOfProfiles, profileField, type PossibleField } from './known-fields.ts';
import { CHECK_EVERY } from '../../check-every.ts';

/** null: the field is not asked. */
type ValuesOf = (known: PossibleField) => FieldValues | null;

/** Adds the values of each field. @param rows By person. */
export function addProfileValues(rows: Uint32Array, context: QueryContext, valuesOf: ValuesOf): void {
  const dictionaries = context.profiles();
  const { persons, weights } = profiled(dictionaries.profiles, rows);
  if (persons.length === 0) return;
  for (const known of fieldsOfProfiles(dictionaries.profiles)) {
    const values = valuesOf(known);
    if (values === null) continue;
    context.checkpoint();
    const { field } = known;
    const column =
      field.kind === 'profile' ? dictionaries.keyColumn(field.path, persons) : dictionaries.column(field, persons);
    values.addWeighted(column, weights);
  }
}

/** Adds which fields are there, in one pass over the profiles. @param rows By person. */
export function addProfilePresence(rows: Uint32Array, context: QueryContext, valuesOf: ValuesOf): void {
  const account = (name: Parameters<typeof accountField>[0]): FieldValues | null => valuesOf(accountField(name));
  const [email, domain] = [account('email'), account('email_domain')];
  const keys = new Map<string, FieldValues | null>();
  const { profiles } = context.profiles();
  let all = 0;
  let bare: Profile['properties'] | null = null;
  for (let at = 0; at < profiles.length; at++) {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const { person, properties } = profiles[at]!;
    const count = rows[person] ?? 0;
    all += count;
    if (count === 0 || properties === bare) continue; // most users have none, all of them the same
    const names = Object.keys(properties);
    if (names.length === 0) bare = properties;
    for (const key of names) {
      const value = properties[key];
      if (value === null) continue;
      if (!keys.has(key)) {
        context.checkpoint();
        keys.set(key, key === 'email' ? email : valuesOfKey(key, valuesOf));
      }
      keys.get(key)?.see(typeOfValue(value), count);
      if (key === 'email' && emailDomain(value) !== undefined) domain?.see('string', count);
    }
  }
  for (const name of ['first_seen', 'last_seen'] as const) account(name)?.see('string', all);
}

function valuesOfKey(key: string, valuesOf: ValuesOf): FieldValues | null {
  const known = profileField(key);
  return known === null ? null : valuesOf(known);
}

/** The persons who have rows and a profile, and how many rows. */
function profiled(profiles: readonly Profile[], rows: Uint32Array): { persons: Uint32Array; weights: Uint32Array } {
  const persons = new Uint32Array(profiles.length);
  const weights = new Uint32Array(profiles.length);
  let count = 0;
  for (const { person } of profiles) {
    const own = rows[person] ?? 0;
    if (own === 0) continue;
    persons[count] = person;
    weights[count++] = own;
  }
  return { persons: persons.subarray(0, count), weights: weights.subarray(0, count) };
}
