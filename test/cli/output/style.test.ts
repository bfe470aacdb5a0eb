import { expect } from 'chai';
import { styleOf } from '../../../lib/cli/output/table.ts';

const terminal = { isTTY: true, columns: 100 };

describe('how tables are printed', () => {
  it('is as wide as the terminal, and uncut where there is none', () => {
    expect(styleOf(terminal, {}, false).width).to.equal(100);
    expect(styleOf({ isTTY: true }, {}, false).width).to.equal(80);
    expect(styleOf({ isTTY: true, columns: 0 }, {}, false).width).to.equal(80);
    expect(styleOf({}, {}, false).width).to.equal(Infinity);
  });

  it('is in colour on terminals that have them, unless somebody says otherwise', () => {
    const cases: readonly (readonly [object, Record<string, string>, noColor: boolean, expected: boolean])[] = [
      [terminal, {}, false, true],
      [terminal, {}, true, false],
      [terminal, { TERM: 'dumb' }, false, false],
      [terminal, { NO_COLOR: '1' }, false, false],
      [terminal, { NO_COLOR: '' }, false, true],
      [terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
      [terminal, { FORCE_COLOR: '0' }, false, false],
      [{}, {}, false, false],
      [{}, { FORCE_COLOR: '1' }, false, true],
      [{}, { FORCE_COLOR: '1' }, true, false],
    ];
    for (const [screen, env, noColor, expected] of cases) {
      expect(styleOf(screen, env, noColor).color, JSON.stringify([screen, env, noColor])).to.equal(expected);
    }
  });
});
