import { expect } from 'chai';
import type { GoldenFile } from './support/golden-file.ts';
import { expectedLines, goldenNames, readGolden, runGolden, type Outcome } from './support/golden-run.ts';
import { PLAIN, StoreSubject, type Segmenting } from './support/store-subject.ts';
import { oracleSubject } from './support/subject.ts';

const files = goldenNames().map((name) => ({ name, golden: readGolden(name) }));

describe('golden files, answered by the oracle', () => {
  const subject = oracleSubject();
  for (const { name, golden } of files) {
    it(`${name}: ${golden.title}`, async () => {
      const outcome = await runGolden(golden, subject);
      expectOutcome(outcome, golden, expectedLines(golden));
      const says = golden.expected.kind === 'error' ? golden.expected.says : [];
      for (const text of says) expect(outcome.message).to.contain(text);
    });
  }
});

const SEGMENTINGS: readonly { readonly name: string; readonly segmenting: Segmenting }[] = [
  { name: 'from one segment', segmenting: PLAIN },
  { name: 'from a segment a request', segmenting: { ...PLAIN, queryEvery: 1 } },
];

for (const { name: how, segmenting } of SEGMENTINGS) {
  describe(`golden files, answered by the embedded store ${how}`, function () {
    this.timeout(30_000);
    let subject: StoreSubject;
    before(() => {
      subject = new StoreSubject(segmenting);
    });
    after(() => subject.close());

    for (const { name, golden } of files.filter((file) => file.golden.expected.kind === 'rows')) {
      it(`${name}: ${golden.title}`, async () => {
        const outcome = await runGolden(golden, subject);
        expectOutcome(outcome, golden, expectedLines(golden));
      });
    }
  });
}

function expectOutcome(outcome: Outcome, golden: GoldenFile, lines: readonly string[]): void {
  expect(outcome.lines.join('\n'), outcome.message ?? 'rows').to.equal(lines.join('\n'));
  if (golden.total !== null) expect(outcome.total, 'total').to.equal(golden.total);
}
