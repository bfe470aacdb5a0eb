import { expect } from 'chai';
import { expectedLines, goldenNames, readGolden, runGolden } from './support/golden-run.ts';
import { oracleSubject } from './support/subject.ts';

describe('golden files, answered by the oracle', () => {
  const subject = oracleSubject();
  for (const name of goldenNames()) {
    const golden = readGolden(name);
    it(`${name}: ${golden.title}`, async () => {
      const outcome = await runGolden(golden, subject);
      expect(outcome.lines.join('\n'), outcome.message ?? 'rows').to.equal(expectedLines(golden).join('\n'));
      if (golden.total !== null) expect(outcome.total, 'total').to.equal(golden.total);
      const says = golden.expected.kind === 'error' ? golden.expected.says : [];
      for (const text of says) expect(outcome.message).to.contain(text);
    });
  }
});
