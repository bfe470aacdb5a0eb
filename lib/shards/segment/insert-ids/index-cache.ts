/** Pieces of the indexes on disk that were asked for lately (insert ids, texts), of all shards of a writer. */
import { ColumnCache } from '../column-cache.ts';

export const INDEX_CACHE_BYTES = 64 << 20;

export const indexCache = new ColumnCache(INDEX_CACHE_BYTES);
