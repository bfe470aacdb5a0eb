/**
 * Public events of GitHub, as GH Archive stores them by the hour, as events:
 *
 *   node dist/bench/real-data/gharchive.js 2015-01-01-0.json.gz 2015-01-01-1.json.gz > github.ndjson
 *
 * The type is the event, the actor's login the user, the id identifies duplicates; the payload stays nested.
 */
import { convertFiles } from './convert.ts';

interface GitHubEvent {
  readonly id: string;
  readonly type: string;
  readonly actor: { readonly login: string };
  readonly repo: { readonly name: string };
  readonly org?: { readonly login: string };
  readonly public: boolean;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

await convertFiles<GitHubEvent>((event) => ({
  event_type: event.type,
  user_id: event.actor.login,
  time: event.created_at,
  insert_id: event.id,
  event_properties: {
    repo: event.repo.name,
    public: event.public,
    ...(event.org ? { org: event.org.login } : {}),
    payload: event.payload,
  },
}));
