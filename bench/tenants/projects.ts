/** Projects of several sizes, created before the service starts and loaded over HTTP. */
import { ControlDatabase } from '../../lib/control/database.ts';
import { prepareDataSet } from '../data-set.ts';
import { DATASET_DEFAULTS } from '../generate.ts';
import { sendBulk } from '../ingest/bulk.ts';
import type { WindlassServer } from '../windlass/server.ts';

export interface TenantProject {
  readonly key: string;
  readonly events: number;
}

/** How many projects with how many events each. */
export type Sizes = readonly (readonly [count: number, events: number])[];

const BY = { name: 'bench', ip: null };

/** Creates each in its own organization. */
export async function createProjects(folder: string, sizes: Sizes): Promise<TenantProject[]> {
  const control = await ControlDatabase.open(folder, { secret: null });
  try {
    const made: TenantProject[] = [];
    for (const [count, events] of sizes)
      for (let nth = 0; nth < count; nth++) {
        const { organization } = await control.organizations.create(`org ${events} ${nth}`);
        made.push({ key: (await control.projects.create(organization.id, 'bench', BY)).secretKey, events });
      }
    return made;
  } finally {
    await control.close();
  }
}

export async function loadProjects(
  server: WindlassServer,
  projects: readonly TenantProject[],
  data: string,
  log: (line: string) => void,
): Promise<void> {
  for (const { key, events } of projects) {
    const file = prepareDataSet({ ...DATASET_DEFAULTS, events, data, reference: undefined }, log).events;
    await sendBulk({ host: server.host, port: server.port, key }, '/track', file);
  }
}
