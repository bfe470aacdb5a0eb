import { expect } from 'chai';
import { readTypedLine, unquoted } from '../../../lib/cli/completion/complete.ts';

describe('a command line that is being typed', () => {
  it('is read as shells do', () => {
    const cases: readonly (readonly [line: string, before: readonly string[], current: string, quote: string])[] = [
      ['', [], '', ''],
      ['wl', [], 'wl', ''],
      ['wl ', ['wl'], '', ''],
      ['wl  query  si', ['wl', 'query'], 'si', ''],
      ["wl query 'signup | co", ['wl', 'query'], 'signup | co', "'"],
      ['wl query "a \\"b" "c \\" \\d', ['wl', 'query', 'a "b'], 'c " \\d', '"'],
      ["wl track 'a'\\''b' x", ['wl', 'track', "a'b"], 'x', ''],
      ['wl track a\\ b\\', ['wl', 'track'], 'a b\\', ''],
      ["wl query --query='si", ['wl', 'query'], '--query=si', "'"],
      ["wl track '' ''", ['wl', 'track', ''], '', ''],
      ['WINDLASS_HOST=x wl q', ['wl'], 'q', ''],
    ];
    for (const [line, before, current, quote] of cases) {
      const typed = readTypedLine(line);
      expect([typed.before, typed.current, typed.quote], line).to.deep.equal([before, current, quote]);
      expect(line.endsWith(typed.raw), line).to.equal(true);
    }
  });

  it('loses its quotes', () => {
    expect(unquoted('--query=\'a "b')).to.equal('--query=a "b');
  });
});
