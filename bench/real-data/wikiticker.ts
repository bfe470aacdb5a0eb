/**
 * Edits of Wikipedia, as in Apache Druid's quickstart sample, as events:
 *
 *   node dist/bench/real-data/wikiticker.js wikiticker-2015-09-12-sampled.json.gz > edits.ndjson
 *
 * A logged-in editor is a user; an edit without login comes from a device, its address. Omits fields without a value.
 */
import { convertFiles } from './convert.ts';

interface Edit {
  readonly time: string;
  readonly user: string;
  readonly isAnonymous: boolean;
  readonly [property: string]: string | number | boolean | null;
}

await convertFiles<Edit>(({ time, user, ...rest }) => ({
  event_type: 'edit',
  ...(rest.isAnonymous ? { device_id: user } : { user_id: user }),
  time,
  event_properties: Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
}));
