import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { EXPORT_HEAP } from '../../../lib/store/export/resumed-export.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { startTestService } from '../../support/service.ts';

describe('exports of several projects', () => {
  it('start their threads one after another, so that those of one organization do not take all processors', async () => {
    const test = await startTestService();
    let [starting, most, made] = [0, 0, 0];
    const began = (worker: Worker): void => {
      const { maxOldGenerationSizeMb, maxYoungGenerationSizeMb } = worker.resourceLimits ?? {};
      // The service may start other threads meanwhile.
      if (EXPORT_HEAP.maxOldGenerationSizeMb !== maxOldGenerationSizeMb) return;
      if (EXPORT_HEAP.maxYoungGenerationSizeMb !== maxYoungGenerationSizeMb) return;
      made++;
      most = Math.max(most, ++starting);
      worker.once('message', () => starting--);
    };
    try {
      const others = [await test.another(), await test.another()];
      process.on('worker', began);
      const answers = await Promise.all(
        [test, test, ...others, ...others].map(({ url, keys }) =>
          fetch(`${url}/api/gdpr/users/nobody/export`, { headers: { 'X-API-Key': keys.secretKey } }),
        ),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200]);
      expect([made, most]).to.deep.equal([6, 1]);
    } finally {
      process.off('worker', began);
      await test.stop();
    }
  });
});
