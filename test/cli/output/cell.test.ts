import { expect } from 'chai';
import { durationText } from '../../../lib/cli/output/cell.ts';

describe('durations at a terminal', () => {
  const cases: readonly (readonly [seconds: number, text: string])[] = [
    [0, '0 ms'],
    [0.0125, '12.5 ms'],
    [0.4504, '450 ms'],
    [1, '1 s'],
    [12.34, '12.3 s'],
    [59.94, '59.9 s'],
    [59.96, '1 min'],
    [60, '1 min'],
    [119.7, '2 min'],
    [153, '2 min 33 s'],
    [3_599.6, '1 h'],
    [3_600, '1 h'],
    [11_520, '3 h 12 min'],
    [86_399, '24 h'],
    [86_400, '1 d'],
    [30 * 86_400 + 7_300, '30 d 2 h'],
    [-153, '-2 min 33 s'],
  ];
  for (const [seconds, text] of cases) {
    it(`read ${text} for ${seconds} s`, () => {
      expect(durationText(seconds)).to.equal(text);
    });
  }
});
