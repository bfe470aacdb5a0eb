import { expect } from 'chai';
import { runCampaign } from './campaign.ts';

/** `npm run chaos` runs many more; see scripts/chaos.mjs. */
const SEEDS = Number(process.env['WINDLASS_CHAOS_SEEDS'] ?? 1);
const FIRST = Number(process.env['WINDLASS_CHAOS_FIRST'] ?? 1);
const LONG = process.env['WINDLASS_CHAOS_SEEDS'] !== undefined;

describe('a server under faults', function () {
  this.timeout(600_000);
  const total = { cycles: 0, acknowledged: 0, harmless: 0, told: 0 };
  after(() => {
    if (LONG) process.stdout.write(`${JSON.stringify(total)}: seeds ${FIRST} to ${FIRST + SEEDS - 1}\n`);
  });

  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    it(`loses and doubles nothing that it acknowledged, and tells of damage (seed ${seed})`, async () => {
      const outcome = await runCampaign(
        seed,
        LONG ? { projects: 20, kills: 8, flips: 2 } : { projects: 5, kills: 1, flips: 1 },
      );
      total.cycles += outcome.cycles;
      total.acknowledged += outcome.acknowledged;
      total.harmless += outcome.harmless;
      total.told += outcome.told;
      expect(outcome.failures, `replay: npm run chaos -- --first ${seed} --seeds 1`).to.deep.equal([]);
      expect(outcome.acknowledged).to.be.above(0);
    });
  }
});
