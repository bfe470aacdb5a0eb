/** What the endpoints of dashboards share: which dashboard a request is about, and for whom. */
import type { Request } from 'express';
import type { DashboardText } from '../../control/projects/dashboards.ts';
import { AppError } from '../../base/errors.ts';
import { noSuch } from '../door.ts';
import type { RouterContext } from '../context.ts';
import { idParameter } from '../http/path-parameter.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';

export type Visibility = 'personal' | 'project';

/** Whose dashboards to look for: the project's, and those of the account, if there is one. */
export interface Reader {
  readonly projectId: string;
  readonly accountId: string | null;
}

export function switchedOff(): AppError {
  return new AppError('feature_disabled', 'Dashboards are disabled on this server.');
}

/** `?visibility=`; null if missing. Throws AppError 400. */
export function visibilityOf(request: Request): Visibility | null {
  const given = onlyParameter(queryParameters(request), 'visibility');
  if (given === undefined || given === 'personal' || given === 'project') return given ?? null;
  throw new AppError('bad_request', '"visibility" must be "personal" or "project".');
}

/**
 * The dashboard that the path names, a personal one before the project's, unless `?visibility=` says which. Throws AppError 404,
 * or 400 if the version is not a number.
 */
export async function findDashboard(
  { control }: RouterContext,
  request: Request,
  reader: Reader,
): Promise<DashboardText> {
  const id = idParameter(request, 'dashboardID');
  const version = versionOf(request);
  const visibility = visibilityOf(request);
  const { projectId, accountId } = reader;
  const owners = [
    ...(accountId === null || visibility === 'project' ? [] : [accountId]),
    ...(visibility === 'personal' ? [] : [null]),
  ];
  for (const owner of owners) {
    const found = await control.dashboards.find({ projectId, id, owner }, version);
    if (found !== null) return found;
  }
  throw noSuch('dashboard');
}

function versionOf(request: Request): number | null {
  const given = onlyParameter(queryParameters(request), 'version');
  if (given === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new AppError('bad_request', '"version" must be a whole number of at least 1.');
}
