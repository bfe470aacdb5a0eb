/** Receives a dashboard: YAML, checked before it is stored. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkApart } from '../../dashboards/check-apart.ts';
import type { DashboardJson } from '../../dashboards/check-thread.ts';
import type { Problem } from '../../dashboards/problem.ts';
import { AppError } from '../../base/errors.ts';
import type { Tenant } from '../../base/project.ts';
import { encodingOf, inflateSmall } from '../http/body.ts';
import type { RouterContext } from '../context.ts';

/** Bytes of YAML, on the wire and inflated. Handwritten dashboards have less than 20 KiB. */
export const DASHBOARD_LIMIT = 262_144;
/** Problems listed in an answer; `wl dashboard validate` lists all. */
const MOST_PROBLEMS = 20;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Rejects with 400 that lists what is wrong, 413 for a larger one, 429 when too many are being checked. */
export async function receiveDashboard(
  { bodies }: RouterContext,
  { request, response, tenant, id }: { request: IncomingMessage; response: ServerResponse; tenant: Tenant; id: string },
): Promise<{ readonly yaml: string; readonly dashboard: DashboardJson }> {
  const encoding = encodingOf(request);
  const packed = await bodies.receive(request, response, {
    tenant,
    limit: DASHBOARD_LIMIT,
    hint: 'Write a smaller dashboard.',
  });
  const yaml = textOf(await inflateSmall(packed, encoding, DASHBOARD_LIMIT));
  const { dashboard, problems } = await checkApart(tenant, yaml);
  if (dashboard === null) throw wrong(problems);
  if (dashboard.id === id) return { yaml, dashboard };
  const found = dashboard.id === null ? 'has none' : `has "${dashboard.id}"`;
  throw new AppError('bad_request', `The \`id\` of the dashboard must be the one of the path, "${id}"; it ${found}.`);
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError('bad_request', 'The dashboard is not valid UTF-8.');
  }
}

function wrong(problems: readonly Problem[]): AppError {
  const [first = '', ...others] = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new AppError('bad_request', `The dashboard has ${count}: ${first}`, {
    ...(others.length === 0 ? {} : { hints: others.slice(0, MOST_PROBLEMS - 1) }),
  });
}
