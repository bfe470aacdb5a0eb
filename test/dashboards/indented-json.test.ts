import { expect } from 'chai';
import { indentedJson } from '../../console/indented-json.ts';

describe('JSON laid out for people', () => {
  it('is as JSON.stringify lays it out', () => {
    const rows = [
      { a: 1, 'b: ["': 'x, {"y": [1]} \\', c: [], d: {}, e: [1, [2, { f: null }]] },
      { a: -1.5e9, 'b: ["': '' },
    ];
    for (const value of [rows, [], {}, 'a, b', 7])
      expect(indentedJson(JSON.stringify(value))).to.equal(JSON.stringify(value, null, 2));
  });

  it('keeps numbers that no JavaScript number can hold', () => {
    expect(indentedJson('[{"count":9007199254740993}]')).to.equal('[\n  {\n    "count": 9007199254740993\n  }\n]');
  });
});
