/** A limit that refused somebody. */
export type ReachedLimit = 'projects' | 'events_per_month' | 'events_per_minute' | 'queries_per_minute';

/** An event for the host, as it is sent. It holds ids and no tenant's text. */
export type HostEvent =
  | HostEventOf<'project.created' | 'project.deleted', { readonly org_id: string; readonly project_id: string }>
  | HostEventOf<'limit.reached', LimitReached>
  /** `project_id`: null: unknown. */
  | HostEventOf<'damage.found', { readonly where: 'shard' | 'journal'; readonly project_id: string | null }>
  /** The operator wants to see a message arrive. */
  | HostEventOf<'webhook.test', Readonly<Record<string, never>>>;

interface HostEventOf<Type, Data> {
  readonly type: Type;
  readonly data: Data;
}

export interface LimitReached {
  readonly org_id: string;
  /** null: it concerns only the organization. */
  readonly project_id: string | null;
  readonly limit: ReachedLimit;
}
