/** Keeps what was revoked since a backup revoked in its copy. */
import type { ControlConnection } from './connection.ts';

/**
 * Whatever both databases know keeps the credentials it has in `from`: keys and tokens of a project, the admin key of an
 * organization. Sessions that `from` has ended end, and so do login links that it does not have. Both have the same secret.
 */
export async function takeRevocations(from: ControlConnection, to: ControlConnection): Promise<void> {
  await to.write(async () => {
    await takeKeys(from, to);
    await takeTokens(from, to);
    await endSessions(from, to);
    await endLinks(from, to);
  });
}

async function takeKeys(from: ControlConnection, to: ControlConnection): Promise<void> {
  const projects = await inBoth(from, to, 'projects');
  const organizations = await inBoth(from, to, 'organizations');
  const keys = to.db.deleteFrom('keys');
  for (const id of projects) await keys.where('project_id', '=', id).execute();
  for (const id of organizations) await keys.where('org_id', '=', id).execute();
  for (const key of await from.db.selectFrom('keys').selectAll().execute()) {
    if (projects.has(key.project_id ?? '') || organizations.has(key.org_id ?? ''))
      await to.db.insertInto('keys').values(key).execute();
  }
}

async function takeTokens(from: ControlConnection, to: ControlConnection): Promise<void> {
  const projects = await inBoth(from, to, 'projects');
  const accounts = await inBoth(from, to, 'accounts');
  for (const id of projects) await to.db.deleteFrom('tokens').where('project_id', '=', id).execute();
  for (const token of await from.db.selectFrom('tokens').selectAll().orderBy('rowid').execute()) {
    const account_id = accounts.has(token.account_id ?? '') ? token.account_id : null;
    if (projects.has(token.project_id))
      await to.db
        .insertInto('tokens')
        .values({ ...token, account_id })
        .execute();
  }
}

async function endSessions(from: ControlConnection, to: ControlConnection): Promise<void> {
  const accounts = await inBoth(from, to, 'accounts');
  const kept = new Set((await from.db.selectFrom('sessions').select('id').execute()).map(({ id }) => id));
  for (const { id, account_id } of await to.db.selectFrom('sessions').select(['id', 'account_id']).execute()) {
    if (accounts.has(account_id) && !kept.has(id)) await to.db.deleteFrom('sessions').where('id', '=', id).execute();
  }
}

async function endLinks(from: ControlConnection, to: ControlConnection): Promise<void> {
  const links = await from.db.selectFrom('login_links').select('hash').execute();
  const kept = new Set(links.map(({ hash }) => hash.toString('hex')));
  for (const { hash } of await to.db.selectFrom('login_links').select('hash').execute()) {
    if (!kept.has(hash.toString('hex'))) await to.db.deleteFrom('login_links').where('hash', '=', hash).execute();
  }
}

async function inBoth(
  from: ControlConnection,
  to: ControlConnection,
  table: 'projects' | 'organizations' | 'accounts',
): Promise<ReadonlySet<string>> {
  const known = new Set((await from.db.selectFrom(table).select('id').execute()).map(({ id }) => id));
  const rows = await to.db.selectFrom(table).select('id').execute();
  return new Set(rows.map(({ id }) => id).filter((id) => known.has(id)));
}
