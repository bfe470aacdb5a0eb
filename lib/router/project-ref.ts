/** A project as the store knows it. */
import type { ProjectRef } from '../base/project.ts';
import type { Project } from '../control/types.ts';

const refs = new WeakMap<Project, ProjectRef>();

/** What the store needs to know of the project: always the same object, so a thread receives it once with many requests. */
export function projectRef(project: Project): ProjectRef {
  const known = refs.get(project);
  if (known !== undefined) return known;
  const { id, orgId, weight, settings } = project;
  const { retentionDays, ipPolicy } = settings;
  const made = { id, orgId, weight, retentionDays, ipPolicy };
  refs.set(project, made);
  return made;
}
