import { assert } from 'chai';
import fc from 'fast-check';
import { isLargerAsJson } from '../../lib/dashboards/yaml-file.ts';

describe('the size of a value as JSON', () => {
  it('is that of the text, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        assert.isFalse(isLargerAsJson(value, bytes));
        assert.isTrue(isLargerAsJson(value, bytes - 1));
      }),
    );
  });

  it('counts what is shared wherever it stands, and ends where it stands within itself', () => {
    const shared = { text: 'x'.repeat(100) };
    const all = Array.from({ length: 50 }, () => shared);
    assert.isTrue(isLargerAsJson(all, 5_000));
    const endless: unknown[] = [];
    endless.push(endless, endless);
    assert.isTrue(isLargerAsJson(endless, 1_000_000));
  });
});
