/** What a running service tells about its projects to anyone who may open the data folder. */
import { MINUTE_MS } from '../../base/day.ts';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { AppError } from '../../base/errors.ts';
import { request } from '../../base/net/node-http.ts';

/** In the data folder. */
export const OPERATOR_SOCKET = 'operator.sock';

/** Counters since the start of the service. */
export interface TenantNow {
  readonly project_id: string;
  /** Its name, and that of its organization. */
  readonly project: string;
  readonly organization: string;
  readonly events: number;
  readonly queries: number;
  readonly query_ms: number;
  readonly refused: number;
  readonly running: number;
  readonly waiting: number;
  /** Bodies being received, and unread answers. */
  readonly held_bytes: number;
  /** Of its file, which one on ClickHouse has not. */
  readonly stored_bytes: number;
}

export interface TenantsNow {
  /** Milliseconds on a monotonic clock. */
  readonly at: number;
  readonly tenants: readonly TenantNow[];
}

/** How long an answer may take; one for which events are counted may take a minute. Milliseconds. */
const PATIENCE = 10_000;

/** Rejects with AppError `conflict` if no service runs on the folder. */
export function askTenants(dataFolder: string): Promise<TenantsNow> {
  return ask<TenantsNow>(dataFolder, '/tenants', PATIENCE);
}

/** How many stored events of a project are older than so many days. Rejects like `askTenants`. */
export async function askOlder(dataFolder: string, projectId: string, days: number): Promise<number> {
  const path = `/older?${new URLSearchParams({ project: projectId, days: String(days) }).toString()}`;
  const { events } = await ask<{ readonly events: number | null }>(dataFolder, path, MINUTE_MS);
  if (events !== null) return events;
  throw new AppError('storage_unavailable', 'the service could not count the events that would be removed', {
    hints: ['try again in a moment; its log says why'],
  });
}

function ask<Answer>(dataFolder: string, path: string, timeout: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socketPath = join(dataFolder, OPERATOR_SOCKET);
    const asked = request({ socketPath, path, timeout, agent: false }, (response) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a service of this release answers
      json(response).then((answer) => resolve(answer as Answer), reject);
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
    asked.once('error', (error) => {
      const message = `no service that could be asked runs on ${dataFolder} (${error.message})`;
      const hint = 'it needs `wl serve` of this release on the same machine, and access to its data folder';
      reject(new AppError('conflict', message, { hints: [hint] }));
    });
    asked.end();
  });
}
