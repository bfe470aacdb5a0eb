/** Tokens as releases had them that knew only the name of who made one. */
import type { ControlDatabase } from '../../../lib/control/database.ts';
import type { Account } from '../../../lib/control/types.ts';
import { HOUR, TESTER, type World } from '../open-control.ts';

/** Takes away what releases of then did not have: tokens without accounts, and all that came later. */
export const UNDONE = `
  DROP TABLE alert_runs; DROP TABLE alert_versions; DROP TABLE alerts;
  DROP TABLE operator_keys; ALTER TABLE idempotent_answers RENAME COLUMN owner TO org_id;
  DROP TABLE annotations;
  DROP TABLE cohort_versions; DROP TABLE cohorts;
  DROP TABLE question_versions; DROP TABLE questions;
  ALTER TABLE tokens DROP COLUMN personal;
  ALTER TABLE projects DROP COLUMN personal_properties; ALTER TABLE projects DROP COLUMN hash_key;
  ALTER TABLE projects DROP COLUMN max_events_per_month;
  ALTER TABLE projects DROP COLUMN bots; ALTER TABLE projects DROP COLUMN week_start;
  ALTER TABLE usage DROP COLUMN times_replaced; ALTER TABLE usage DROP COLUMN fields_ignored;
  DROP TABLE session_visits; DROP TABLE retention_changes;
  ALTER TABLE sessions DROP COLUMN email;
  ALTER TABLE audit DROP COLUMN changes;
  ALTER TABLE organizations DROP COLUMN suspended; ALTER TABLE organizations DROP COLUMN suspended_because;
  DROP INDEX tokens_of_account; ALTER TABLE tokens DROP COLUMN account_id;`;

/** Makes tokens named after what is special about them. Resolves with the accounts that they are of once a database knows them. */
export async function makeOldTokens({
  control,
  clock,
  organization,
  project,
}: World): Promise<Record<string, string | null>> {
  const join = async (subject: string, email: string | null, invited: string): Promise<Account> => {
    await control.members.invite(organization.id, invited, 'admin', TESTER);
    const identity = { issuer: 'https://login.example', subject, emailVerified: true, name: null };
    const { id } = await control.logins.logIn({ ...identity, email: invited }, { ip: null });
    clock.time += HOUR;
    return email === invited ? control.accounts.get(id) : control.logins.logIn({ ...identity, email }, { ip: null });
  };
  const token = (name: string, by: string) =>
    control.tokens.create({ projectId: project.id, name, scopes: ['dashboards'] }, { name: by, ip: null });

  await token('made before its address was of a member', 'late@example.com');
  const ada = await join('ada', 'ada@example.com', 'ada@example.com');
  const late = await join('late', 'late@example.com', 'late@example.com');
  const [one] = [await join('one', 'two@example.com', 'one@example.com'), await join('two', 'two@example.com', 'three@example.com')]; // prettier-ignore
  const gone = await join('gone', 'gone@example.com', 'gone@example.com');
  await token("ada's", 'ada@example.com');
  await token("late's", 'late@example.com');
  await token('of two members with one address', 'two@example.com');
  await token('named by an id', one.id);
  await token('of one who left', 'gone@example.com');
  await token("the operator's", 'wl admin');
  await control.members.leave(organization.id, gone.id, TESTER);
  return {
    'made before its address was of a member': null,
    "ada's": ada.id,
    "late's": late.id,
    'of two members with one address': null,
    'named by an id': one.id,
    'of one who left': null,
    "the operator's": null,
  };
}

/** Accounts of the tokens of a project, by their names. */
export async function ownersOfTokens(
  control: ControlDatabase,
  projectId: string,
): Promise<Record<string, string | null>> {
  const tokens = await control.tokens.list(projectId);
  return Object.fromEntries(tokens.map(({ name, accountId }) => [name, accountId]));
}
