/** What merging needs, for parts of kernels that are tested alone. */
import { mergeContext } from '../../lib/workers/query-thread.ts';
import type { RowContext } from '../../lib/workers/query-context.ts';
import { TestTables } from '../../lib/workers/where/test-tables.ts';
import { compile } from './compile.ts';

/** @param query Whose plan, range and zone the context has. @param memory Bytes. */
export function rowContext(query = '* | count', memory = 2 ** 30): RowContext {
  const { optimized: plan } = compile(query, { now: 0, timezone: null, limit: 100, offset: 0 }, []);
  const limits = { memory, queryMemory: memory, maxGroups: 1_000_000 };
  return mergeContext({ plan, ...limits }, new TestTables(1_000_000), () => undefined);
}
