/** A limit that refused somebody. */
export type ReachedLimit = 'projects' | 'events_per_month' | 'events_per_minute' | 'queries_per_minute';

/** An event for the host. It holds ids and no tenant's text. */
export type HostEvent =
  | { readonly type: 'project.created' | 'project.deleted'; readonly orgId: string; readonly projectId: string }
  | {
      readonly type: 'limit.reached';
      readonly orgId: string;
      /** null: it concerns only the organization. */
      readonly projectId: string | null;
      readonly limit: ReachedLimit;
    }
  | {
      readonly type: 'damage.found';
      readonly where: 'shard' | 'journal';
      /** null: unknown. */
      readonly projectId: string | null;
    }
  /** The operator wants to see a message arrive. */
  | { readonly type: 'webhook.test' };
