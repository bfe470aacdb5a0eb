import type { DictionaryBatch } from './dictionary/shared-texts.ts';
import type { DayCounts } from './file/usage-counters.ts';
import type { Secret } from './hashing/text-hash.ts';
import type { PackedLists } from './segment/encoding/texts.ts';

/** Changes of a shard besides rows, bindings and profiles. */
export interface StateBatch {
  /** Rows of table `meta`. */
  readonly meta: Readonly<Record<string, number>>;
  /** The key for hashes in the index. */
  readonly secret: Secret;
  readonly fields: readonly { readonly id: number; readonly key: string }[];
  /** Ids, sessions and event types. */
  readonly shared: readonly DictionaryBatch[];
  /** New texts of properties: field and first code of each list. */
  readonly properties: {
    readonly places: readonly (readonly [field: number, first: number])[];
    readonly texts: PackedLists;
  };
  readonly usage: readonly DayCounts[];
}
