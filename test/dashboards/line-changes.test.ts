import { expect } from 'chai';
import fc from 'fast-check';
import { changedPlaces, lineChanges } from '../../console/editor/line-changes.ts';

const shown = (before: string, after: string): string[] =>
  lineChanges(before, after).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`);

describe('the lines that a text has changed', () => {
  it('are those removed and those added in their place', () => {
    expect(shown('a\nb\nc', 'a\nB\nc')).to.deep.equal([' a', '-b', '+B', ' c']);
    expect(shown('a\nb\nc\nd', 'a\nc\nx\nd')).to.deep.equal([' a', '-b', ' c', '+x', ' d']);
    expect(shown('a', 'a')).to.deep.equal([' a']);
    expect(shown('a\na', 'a')).to.deep.equal([' a', '-a']);
    expect(shown('', 'a\nb')).to.deep.equal(['-', '+a', '+b']);
  });

  it('make either text out of the other, for any two, large ones too', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
    const holds = (before: string, after: string): void => {
      const changes = lineChanges(before, after);
      const without = (kind: string): string =>
        changes.filter((change) => change.kind !== kind).map((change) => change.text).join('\n'); // prettier-ignore
      expect([without('added'), without('removed')]).to.deep.equal([before, after]);
    };
    fc.assert(fc.property(text, text, holds));
    const many = (word: string): string => Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n');
    holds(many('a'), many('b'));
  });

  it('are shown with the lines around them, and a mark where others are left out', () => {
    const lines = Array.from({ length: 9 }, (_, index) => String(index));
    const changes = lineChanges(lines.join('\n'), lines.with(4, 'x').join('\n'));
    const places = changedPlaces(changes, 1).map((change) => change?.text ?? null);
    expect(places).to.deep.equal([null, '3', '4', 'x', '5', null]);
    expect(changedPlaces(lineChanges('a', 'a'), 1)).to.deep.equal([null]);
  });
});
