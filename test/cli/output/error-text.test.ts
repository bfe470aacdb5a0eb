import { expect } from 'chai';
import { wrapLines } from '../../../lib/cli/output/display-width.ts';
import { errorText } from '../../../lib/cli/output/error-text.ts';

const shown = (message: string, hints: readonly string[] = [], width = 80): string[] =>
  errorText(message, hints, { width, color: false }).split('\n');

describe('an error at a terminal', () => {
  it('says first what may have been meant, then where, then what was expected', () => {
    const message =
      'expected a stage: where, last, found `cuont`; did you mean `count`?\nsignup | cuont | x\n         ^';
    expect(shown(message)).to.deep.equal([
      'wl: Did you mean `count`?',
      '    signup | cuont | x',
      '             ^^^^^',
      '  Expected a stage: where, last, found `cuont`',
    ]);
    expect(errorText(message, [], { width: 80, color: true })).to.include('| \u001B[31mcuont\u001B[39m |');
    expect(shown('no such cohort "by"; did you mean "buyers"?', ['See: docs'])).to.deep.equal([
      'wl: Did you mean "buyers"?',
      '  No such cohort "by"',
      '  See: docs',
    ]);
  });

  it('stays as it is where nothing else may have been meant', () => {
    expect(shown('a range is empty\n日本 | last 0d\n            ^', ['Ask for more.'])).to.deep.equal([
      'wl: a range is empty',
      '    日本 | last 0d',
      '                ^^',
      '  Ask for more.',
    ]);
    expect(shown('connection refused')).to.deep.equal(['wl: connection refused']);
    expect(shown('unfinished\nsignup |\n        ^').slice(1)).to.deep.equal(['    signup |', '            ^']);
  });

  it('shows of a long line what is around the wrong word, within the terminal', () => {
    const query = `${'a = 1 or '.repeat(20)}wrnog = 2 ${'or b = 3 '.repeat(20)}`;
    const at = query.indexOf('wrnog');
    const [, line, carets] = shown(`unknown\n${query}\n${' '.repeat(at)}^`, [], 40) as [string, string, string];
    expect(line).to.have.lengthOf.at.most(40);
    expect(line.slice(carets.indexOf('^'), carets.length)).to.equal('wrnog');
    expect(line).to.match(/^ {4}….*….?$/);
  });

  it('lets nothing through that a terminal would obey', () => {
    expect(errorText('a\u001B[2J\u009b', ['b\u0007'], { width: 80, color: false })).to.equal(
      'wl: a\uFFFD[2J\uFFFD\n  b\uFFFD',
    );
  });
});

describe('lines of diagnostics at a terminal', () => {
  it('break between words, further ones as far in as the first, but for a line with a caret below it', () => {
    expect(wrapLines('wl: one two three\n  four five six', 10)).to.equal('wl: one\ntwo three\n  four\n  five six');
    expect(wrapLines('a b c d e f\n    ^', 5)).to.equal('a b c d e f\n    ^');
  });
});
