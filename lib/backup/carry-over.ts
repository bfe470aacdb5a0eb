/** What was deleted and erased since a backup began, as the data that it replaces knows. */
import fs from 'node:fs';
import path from 'node:path';
import { CONTROL_FILE, ControlDatabase } from '../control/database.ts';
import type { Erasure } from '../control/operator.ts';
import type { Actor } from '../control/types.ts';
import { AppError } from '../errors.ts';
import { removeProject } from '../shards/remove-project.ts';

export interface CarriedOver {
  /** Projects of the backup that have been deleted since, and are deleted in it now. */
  readonly deleted: readonly string[];
  /** Users who were erased since: they are in the backup again, if they were in it. */
  readonly eraseAgain: readonly Erasure[];
}

const BY: Actor = { name: 'wl admin restore', ip: null };

/**
 * Deletes in the copy of a backup what has been deleted in `data` since. null: there is no data, or its control database cannot be
 * read, and nobody knows.
 */
export function carryOver(
  data: string,
  draft: string,
  { secret, since }: { readonly secret: string | null; readonly since: number },
): CarriedOver | null {
  const former = openFormer(data, secret);
  if (former === null) return null;
  const control = ControlDatabase.open(draft, { secret });
  try {
    const deleted = former.operator.deletedProjects().filter((id) => control.findProject(id) !== null);
    for (const id of deleted) {
      control.deleteProject(id, BY);
      removeProject(draft, id);
      control.markPurged(id);
    }
    for (const id of former.operator.deletedOrganizations())
      if (control.findOrganization(id) !== null) control.operator.deleteOrganization(id, BY);
    const eraseAgain = former.operator
      .erasuresSince(since)
      .filter(({ project }) => control.findProject(project) !== null);
    return { deleted, eraseAgain };
  } finally {
    control.close();
    former.close();
  }
}

function openFormer(data: string, secret: string | null): ControlDatabase | null {
  if (!fs.existsSync(path.join(data, CONTROL_FILE))) return null;
  try {
    return ControlDatabase.open(data, { secret });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
