import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { World } from '../../oracle/world.ts';
import { clickHouseOpener } from '../../support/clickhouse-opener.ts';
import { PLAIN, StoreSubject } from '../../support/store-subject.ts';
import { expectedLines, goldenNames, readGolden, runGolden } from '../../support/golden-run.ts';
import type { Subject } from '../../support/subject.ts';

describe('golden files, answered by ClickHouse', function () {
  this.timeout(60_000);
  let subject: Subject & { close(): Promise<void> };
  before(() => {
    subject = new LoadedOnce();
  });
  after(() => subject.close());

  for (const { name, golden } of goldenNames().map((name) => ({ name, golden: readGolden(name) }))) {
    if (golden.expected.kind !== 'rows') continue;
    it(`${name}: ${golden.title}`, async () => {
      const outcome = await runGolden(golden, subject);
      expect(outcome.lines.join('\n'), outcome.message ?? 'rows').to.equal(expectedLines(golden).join('\n'));
      if (golden.total !== null) expect(outcome.total, 'total').to.equal(golden.total);
    });
  }
});

/** Does not load again the world that is loaded. */
class LoadedOnce extends StoreSubject {
  #loaded: World | null = null;

  constructor() {
    super(PLAIN, clickHouseOpener());
  }

  override async load(world: World): Promise<void> {
    if (!isDeepStrictEqual(world, this.#loaded)) await super.load(world);
    this.#loaded = world;
  }
}
