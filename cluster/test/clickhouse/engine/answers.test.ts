import { expect } from 'chai';
import { WAYS, type Asking } from '../../../../test/support/asked-answer.ts';
import { tries } from '../../../../test/support/campaign.ts';
import { goldenNames, readGolden } from '../../../../test/support/golden-run.ts';
import { roughly } from '../../support/roughly.ts';
import { TwoServices } from './two-services.ts';
import { wireJson } from '../../../../test/support/wire-json.ts';

// Cases of one world are adjacent, so that it is sent once.
const files = goldenNames()
  .map((name) => ({ name, golden: readGolden(name) }))
  .map((file) => ({ ...file, world: wireJson(file.golden.world) }))
  .sort((a, b) => (a.world < b.world ? -1 : Number(a.world > b.world)));

/** Each case is asked in one of the ways, as a statement takes long; with WINDLASS_TEST_TIMES in all of them. */
const waysOf = (nth: number): readonly Asking[] => (tries(1) > 1 ? WAYS : [WAYS[nth % WAYS.length]!]);

describe('golden files, answered from ClickHouse as from the data folder', () => {
  let services: TwoServices;
  let loaded = '';
  before(async () => (services = await TwoServices.open()));
  after(() => services.close());

  for (const [nth, { name, golden, world }] of files.entries()) {
    it(`${name}: ${golden.title}`, async () => {
      if (world !== loaded) await services.load(golden.world);
      loaded = world;
      for (const asking of waysOf(nth)) {
        const [embedded, there] = await services.ask(golden.query, golden.context, asking);
        expect(roughly(there)).to.deep.equal(roughly(embedded));
      }
    });
  }

  it('note properties that no profile has, in every way of asking', async () => {
    const { world, query, context } = readGolden('users/unset-and-null');
    await services.load(world);
    loaded = '';
    for (const asking of WAYS) {
      const [embedded, there] = await services.ask(query, context, asking);
      expect(there).to.deep.equal(embedded);
      if (asking.explain) expect(there.body).to.include('`user.y` has no value in this range');
    }
  });
});
