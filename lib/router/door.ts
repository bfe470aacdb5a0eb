import type { Request } from 'express';
import type { Actor, Project } from '../control/types.ts';
import { AppError } from '../base/errors.ts';

/** `look`: what every member may see. `ask`: run queries. `read`: everything, secret keys too. `change`: change something. */
export type Right = 'look' | 'ask' | 'read' | 'change';

export interface Admitted {
  readonly orgId: string;
  readonly project: Project;
  readonly by: Actor;
  readonly seesSecrets: boolean;
}

/**
 * How a management API lets requests in. Both methods throw: 401 without a credential, 403 when it may not, 404 for what it may
 * not know of, with the same body as for an unknown id.
 */
export interface Door {
  /** Whether requests that create something may have an Idempotency-Key. */
  readonly takesKeys: boolean;
  organization(request: Request, right: Right): Promise<{ readonly orgId: string; readonly by: Actor }>;
  /** The project at `:projectID` of the path. `seesSecrets`: whether its secret key may be shown. */
  project(request: Request, right: Right): Promise<Admitted>;
}

/** Admits to what a path names. */
export const toProject = (door: Door, right: Right) => (request: Request) => door.project(request, right);
export const toOrganization = (door: Door, right: Right) => (request: Request) => door.organization(request, right);

/** 404 for what does not exist or the caller may not see. It does not repeat the id: all these bodies are the same. */
export function noSuch(what: 'organization' | 'project' | 'token' | 'device' | 'session' | 'dashboard'): AppError {
  return new AppError('not_found', `There is no such ${what}.`);
}
