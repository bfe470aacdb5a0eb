/** Pieces of on-disk indexes (insert ids, texts) that were used recently, for all shards of a writer. */
import { ColumnCache } from '../column-cache.ts';

export const INDEX_CACHE_BYTES = 64 << 20;

export const indexCache = new ColumnCache(INDEX_CACHE_BYTES);
