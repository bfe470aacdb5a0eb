import type { DictionaryBatch, NumberedTexts } from './dictionary/shared-texts.ts';
import type { DayCounts } from './file/usage-counters.ts';
import type { Secret } from './hashing/text-hash.ts';

/** Changes of a shard besides rows, bindings and profiles. */
export interface StateBatch {
  /** Rows of table `meta`. */
  readonly meta: Readonly<Record<string, number>>;
  /** The key for hashes in the index. */
  readonly secret: Secret;
  readonly fields: readonly { readonly id: number; readonly key: string }[];
  /** Ids, sessions and event types. */
  readonly shared: readonly DictionaryBatch[];
  /** New texts of properties. */
  readonly properties: readonly (NumberedTexts & { readonly field: number })[];
  readonly usage: readonly DayCounts[];
}
