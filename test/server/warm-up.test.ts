import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import type { Plan } from '../../lib/dsl/plan.ts';
import { startTestService } from '../support/service.ts';
import { warmUp } from '../../lib/server/warm-up.ts';
import { readConfig } from '../../lib/config.ts';
import { MemoryStore } from '../support/memory-store.ts';

const foldersOfWarmUps = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('windlass-warm-up-'));

describe('the warm-up of a service', () => {
  it('leaves nothing: no file, no usage, no metric, no folder', async () => {
    const before = foldersOfWarmUps();
    const served = await startTestService({ WINDLASS_WARM_UP: 'on', WINDLASS_QUERIES_PER_MINUTE: '1' });
    try {
      expect(foldersOfWarmUps()).to.deep.equal(before);
      expect(readdirSync(served.folder)).to.not.include('shards');
      const today = new Date().toISOString().slice(0, 10);
      expect(served.usage({ from: today, to: today }).map(({ queries_run }) => queries_run)).to.deep.equal([0]);
      const { host, port } = served.service.metricsAddress!;
      const metrics = await (await fetch(`http://${host}:${port}/metrics`)).text();
      expect(metrics).to.not.match(/route="\/query"/);
      expect(await served.rows('* | count')).to.deep.equal([{ count: 0 }]); // the one query that the limit allows
    } finally {
      await served.stop();
    }
  });

  it('asks with the limits and switches of the service out of the way', async () => {
    const kinds: Plan['kind'][] = [];
    const store = Object.assign(new MemoryStore(), {
      rehearse: (plan: Plan) => {
        kinds.push(plan.kind);
        return Promise.reject(new Error('enough'));
      },
    });
    const config = readConfig({ WINDLASS_QUERIES: 'off', WINDLASS_MAINTENANCE: 'on', WINDLASS_QUERY_LENGTH: '16' });
    const failed = await warmUp(config, store).then(
      () => null,
      (error: unknown) => String(error),
    );
    expect(kinds).to.deep.equal(['aggregate']);
    expect(failed).to.equal('Error: a typical query was answered with 500');
  });
});
