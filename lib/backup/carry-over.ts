/** What was deleted and erased since a backup began, according to the data that it replaces. */
import fs from 'node:fs';
import path from 'node:path';
import { CONTROL_FILE, ControlDatabase } from '../control/database.ts';
import type { Actor } from '../control/types.ts';
import type { ErasureEntry, UserErasure } from '../erasures/entry.ts';
import { AppError } from '../base/errors.ts';
import { deleteCopy } from './apply-erasures.ts';

export interface CarriedOver {
  /** Projects deleted since the backup, and now deleted from it. */
  readonly deleted: readonly string[];
  /** Users erased since by a release without a log of erasures. */
  readonly erased: readonly UserErasure[];
}

const BY: Actor = { name: 'wl admin restore', ip: null };

interface Task {
  readonly data: string;
  readonly secret: string | null;
  /** When the backup began. */
  readonly since: number;
  readonly logged: readonly ErasureEntry[];
}

/**
 * Deletes in the copy of a backup what was deleted in `data` since. null: there is no data, or its control database cannot be
 * read, so nobody knows.
 */
export async function carryOver(
  { data, secret, since, logged }: Task,
  draft: string,
  control: ControlDatabase,
): Promise<CarriedOver | null> {
  await using former = await openFormer(data, secret);
  if (former === null) return null;
  const there = new Set((await control.projects.list()).map(({ id }) => id));
  const deleted = (await former.projects.deleted()).filter((id) => there.has(id));
  for (const id of deleted) await deleteCopy(draft, control, id);
  for (const id of await former.operator.deletedOrganizations())
    if ((await control.organizations.find(id)) !== null) await control.operator.deleteOrganization(id, BY);
  const erased = (await former.operator.erasuresSince(since))
    .map(({ project, user, at }): UserErasure => {
      return { kind: 'user', at, project: control.hashId('', project), user, devices: [], upTo: Infinity };
    })
    .filter((entry) => !logged.some((known) => isOf(known, entry)));
  return { deleted, erased };
}

/** The log has an erasure a moment after the audit trail. */
const isOf = (known: ErasureEntry, { project, user, at }: UserErasure): boolean =>
  known.kind === 'user' && known.project === project && known.user === user && known.at >= at;

async function openFormer(data: string, secret: string | null): Promise<ControlDatabase | null> {
  if (!fs.existsSync(path.join(data, CONTROL_FILE))) return null;
  try {
    return await ControlDatabase.open(data, { secret });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
