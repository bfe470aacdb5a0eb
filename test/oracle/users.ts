/** `users`: profiles last seen in the range. */
import type { Field, UsersPlan } from '../../lib/dsl/plan/plan.ts';
import type { Cell } from '../../lib/dsl/plan/table.ts';
import { withComputed } from './computed.ts';
import { holds } from './condition.ts';
import { listFields } from './events.ts';
import { measuresOf, tabulate, type Row } from './groups.ts';
import { readProfile, timesDone, type Scope } from './scope.ts';
import { by, column, inTurn, type Line, type Sheet } from './table.ts';
import { groupText } from './value.ts';
import type { OracleProfile } from './world.ts';

interface UserRow extends Row {
  readonly profile: OracleProfile;
}

export function answerUsers(scope: Scope, plan: UsersPlan): Sheet {
  const rows = [...scope.facts.profiles.values()]
    .filter(({ lastSeen }) => plan.range.from <= lastSeen && lastSeen < plan.range.to)
    .map((profile): UserRow => ({
      profile,
      time: profile.lastSeen,
      read: withComputed((field) =>
        field.kind === 'did' ? timesDone(scope, field, profile.userId) : readProfile(profile, field, scope.zone),
      ),
    }))
    .filter((row) => holds(plan.where, row.read));
  if (plan.groups.length > 0 || plan.metrics.length > 0) {
    return tabulate(rows, plan.groups, measuresOf(plan.metrics), { scope, fill: true, rolling: plan.rolling });
  }
  if (plan.fields === undefined) return listProfiles(rows);
  const listed = rows.map(({ read, profile }) => ({ read, keys: [profile.lastSeen, profile.userId] }));
  return listFields(plan.fields, listed, 'ascending');
}

function listProfiles(rows: readonly UserRow[]): Sheet {
  const columns = [
    column('user_id', 'string', 'value'),
    column('email', 'string', 'value'),
    column('email_domain', 'string', 'value'),
    column('first_seen', 'time', 'value'),
    column('last_seen', 'time', 'value'),
    column('properties', 'json', 'value'),
  ];
  const lines = rows.map(({ profile, read }): Line => {
    const text = (field: Field): string | null => groupText(read(field));
    const email = text({ kind: 'account', name: 'email' });
    const domain = text({ kind: 'account', name: 'email_domain' });
    const rest: Cell = withoutMail(profile.properties);
    return {
      cells: [profile.userId, email, domain, profile.firstSeen, profile.lastSeen, rest],
      keys: [profile.userId, email, domain, profile.firstSeen, profile.lastSeen, groupText(rest)],
    };
  });
  return { columns, lines, order: inTurn(by(4, 'descending'), by(0, 'ascending')) };
}

function withoutMail(properties: { readonly [key: string]: unknown }): { [key: string]: unknown } {
  const kept = Object.entries(properties).filter(([key]) => key !== 'email' && key !== 'email_domain');
  return Object.fromEntries(kept);
}
