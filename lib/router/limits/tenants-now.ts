import { giveWay } from '../../base/give-way.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { TenantNow, TenantsNow } from '../../control/process/operator-socket.ts';
import type { RouterContext } from '../context.ts';

/** What each project does now, as the operator sees it. */
export async function tenantsNow({
  control,
  load,
  admission,
  bodies,
  unread,
  store,
}: Pick<RouterContext, 'control' | 'load' | 'admission' | 'bodies' | 'unread' | 'store'>): Promise<TenantsNow> {
  const at = performance.now();
  const counted = [...load.all()].map(([id, { events, queries, queryMs, refused }]) => ({
    ...{ project_id: id, events, queries, query_ms: queryMs, refused, ...admission.loadOf(id) },
    held_bytes: bodies.heldBy(id) + unread.heldBy(id) + store.queuedBy(id),
  }));
  const tenants: TenantNow[] = [];
  let began = monotonic();
  for (const one of counted) {
    const project = await control.projects.find(one.project_id);
    const organization = project === null ? null : await control.organizations.find(project.orgId);
    if (project === null || organization === null) continue; // it was deleted
    const stored_bytes = store.storedBy(project.id);
    tenants.push({ ...one, project: project.name, organization: organization.name, stored_bytes });
    if (monotonic() - began < 1) continue; // milliseconds
    await giveWay(began);
    began = monotonic();
  }
  return { at, tenants };
}
