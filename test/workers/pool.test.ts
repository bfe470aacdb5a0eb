import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Pool } from '../../lib/workers/pool.ts';

const SLOW_START = new URL('../support/slow-start-worker.js', import.meta.url).href;

describe('query threads', () => {
  it('are not ended while they load their modules, which would abort the process', async () => {
    const started = join(tmpdir(), `windlass-${process.pid}-started`);
    rmSync(started, { force: true });
    await new Pool({ threads: 1, cacheBytes: 0, filename: SLOW_START }).close();
    expect(existsSync(started)).to.equal(true);
    rmSync(started);
  });
});
