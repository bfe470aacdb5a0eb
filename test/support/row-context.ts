/** What merging needs, for testing parts of kernels alone. */
import { Hold } from '../../lib/primitives/columns.ts';
import { mergeContext } from '../../lib/workers/pool/task-runner.ts';
import type { RowContext } from '../../lib/workers/query-context.ts';
import { TestTables } from '../../lib/workers/where/test-tables.ts';
import { compile } from './compile.ts';

/** @param query Provides plan, range and zone. @param bytes Memory limit. */
export function rowContext(query = '* | count', bytes = 2 ** 30): RowContext {
  const { optimized: plan } = compile(query, { now: 0, timezone: null, limit: 100, offset: 0 }, []);
  const limits = { memory: bytes, queryMemory: bytes, maxGroups: 1_000_000 };
  const memory = new Hold();
  memory[Symbol.dispose](); // so that it keeps no columns of other tests
  const tools = {
    tables: new TestTables(1_000_000),
    checkpoint: () => undefined,
    memory,
    sharedDictionary: () => null,
    profiles: () => {
      throw new Error('no shard is open');
    },
  };
  return mergeContext({ plan, ...limits }, tools);
}
