/** Which fields events have: `fields` for all events, `inspect e` for one, with its distinct texts and samples. */
import {
  CORE_FIELDS,
  ENRICHED_FIELDS,
  type Field,
  fieldName,
  type FieldsPlan,
  fieldText,
  type InspectPlan,
  type ProfileField,
  SESSION_FIELDS,
} from '../../../../lib/seam.ts';
import type { Question } from '../sql/groups.ts';
import { profiles } from '../sql/profiles.ts';
import { MAPS, readable, type PropertySet } from '../sql/properties.ts';
import { EventRows, namesOf, ProfileFields } from '../sql/rows.ts';
import { join, sql, text, texts, type Sql, type Tenant, arrayCell, numberCell, textCell } from '../sql/statement.ts';
import { jsonValue, type Value } from '../sql/values.ts';

/** As answers name them. */
type Kind = 'core' | 'event' | 'user' | 'profile' | 'enriched' | 'session';

const TYPES = ['string', 'number', 'boolean', 'object', 'array'];

export function knownFieldsQuestion(project: Tenant, plan: FieldsPlan | InspectPlan): Question {
  const isInspect = plan.kind === 'inspect';
  const events = namesOf([isInspect ? plan.event : null]);
  const rows = (): EventRows => new EventRows(project, plan, { ...plan, events });
  // Without texts there is only one value of each type.
  const value = isInspect ? sql`value` : sql`''`;
  const items = sql`${itemsOfEvents(rows())} UNION ALL ${itemsOfProfiles(project, rows())}`;
  const values = sql`SELECT kind, field, ${value} AS sample, groupUniqArray(type) AS own, sum(n) AS times FROM (${items}) GROUP BY kind, field, sample`;
  const found = sql`SELECT kind, field, groupUniqArrayArray(own) AS types, sum(times) AS events, count() AS distinct, groupArraySorted(5)((-toInt64(times), sample)) AS samples FROM (${values}) GROUP BY kind, field`;
  return {
    // Every event has a time.
    sql: sql`SELECT *, max(if(kind = 'core', events, 0)) OVER () AS rows FROM (${found})`,
    readRows: (found) =>
      found.map(([kind, field, types, events, distinct, samples, rows]) => {
        const name = fieldText(textCell(field));
        const coverage = numberCell(events) / numberCell(rows);
        const own = arrayCell(types);
        const named = TYPES.filter((type) => own.includes(type)).join(', ');
        if (!isInspect) return [name, textCell(kind), named, numberCell(events), coverage];
        const most = arrayCell(samples).map((sample) => textCell(arrayCell(sample)[1]));
        return [name, coverage, named, numberCell(distinct), most.slice(0, 5)];
      }),
  };
}

/** A row per value of an event's own fields: `kind`, `field`, `type`, `value`, and how often, `n`. */
function itemsOfEvents(rows: EventRows): Sql {
  const fixed = join(
    [
      ...CORE_FIELDS.map((name) => fixedItem('core', { kind: 'core', name }, rows)),
      ...ENRICHED_FIELDS.map((name) => fixedItem('enriched', { kind: 'enriched', name }, rows)),
      ...SESSION_FIELDS.map((name) => fixedItem('session', { kind: 'session', name }, rows)),
    ],
    ', ',
  );
  const items = sql`arrayConcat(${join([sql`arrayFilter(item -> item.1 != '', [${fixed}])`, mapItems('event', 'event'), mapItems('user', 'user')], ', ')})`;
  return sql`SELECT item.1 AS kind, item.2 AS field, item.3 AS type, item.4 AS value, count() AS n FROM (SELECT arrayJoin(${items}) AS item ${rows.from()}) GROUP BY kind, field, type, value`;
}

/** Without a kind where the event lacks the field. */
function fixedItem(kind: Kind, field: Field, rows: EventRows): Sql {
  const value = rows.value(field);
  return sql`(if(${value.present}, ${text(kind)}, ''), ${text(fieldName(field))}, ${typeOf(value)}, ifNull(${value.text}, ''))`;
}

function typeOf({ json, group }: Value): Sql {
  return group.kind === 'empty' || group.kind === 'time' ? sql`'string'` : typeOfJson(sql`ifNull(${json}, '')`);
}

const typeOfJson = (json: Sql): Sql =>
  sql`transform(substring(${json}, 1, 1), ['"', '{', '[', 't', 'f'], ['string', 'object', 'array', 'boolean', 'boolean'], 'number')`;

/** A property counts under its whole name as one key. */
function mapItems(kind: Kind, set: PropertySet): Sql {
  const prefix = text(set === 'event' ? 'event_properties.' : 'user_properties.');
  const { texts, types } = MAPS[set];
  const present = sql`mapFilter((k, v) -> v IS NOT NULL, ${texts})`;
  const item = sql`(${text(kind)}, concat(${prefix}, k), toString(${types}[k]), assumeNotNull(v))`;
  return sql`arrayMap((k, v) -> ${item}, mapKeys(${present}), mapValues(${present}))`;
}

/** The same of the profiles of the events' persons: each value as often as the person has events. */
function itemsOfProfiles(project: Tenant, rows: EventRows): Sql {
  const { person } = rows;
  const persons = sql`SELECT distinct_id, count() AS times ${rows.from(person.present)} GROUP BY distinct_id`;
  const own = new ProfileFields();
  own.whole = true;
  const valueOf = (name: ProfileField): Value => own.value({ kind: 'account', name }, rows.zone);
  const account = (name: ProfileField): Sql => sql`(${text(name)}, ifNull(${valueOf(name).json}, ''))`;
  const time = (name: ProfileField): Sql => sql`(${text(name)}, toJSONString(${valueOf(name).text}))`;
  const fixed = sql`[${join([account('email'), account('email_domain'), time('first_seen'), time('last_seen')], ', ')}]`;
  const keys = sql`arrayFilter(pair -> pair.1 NOT IN ${texts(ACCOUNT)}, JSONExtractKeysAndValuesRaw(${readable(sql`profile_all`)}))`;
  const value = jsonValue(sql`pair.2`);
  const pairs = sql`SELECT arrayJoin(arrayConcat(${keys}, ${fixed})) AS pair, times FROM (${persons}) AS persons INNER JOIN ${profiles(project.id, own)} AS own ON distinct_id = profile_user`;
  return sql`SELECT 'profile' AS kind, concat('user.', pair.1) AS field, ${typeOfJson(sql`pair.2`)} AS type, assumeNotNull(${value.text}) AS value, sum(times) AS n FROM (${pairs}) WHERE ${value.present} GROUP BY kind, field, type, value`;
}

const ACCOUNT: readonly ProfileField[] = ['email', 'email_domain', 'first_seen', 'last_seen'];
