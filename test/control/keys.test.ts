import { expect } from 'chai';
import { isKeyShaped, newId, newKey } from '../../lib/control/key-text.ts';

describe('ids and keys', () => {
  it('are their prefix and random characters that are safe in URLs', () => {
    expect(newId('prj_')).to.match(/^prj_[\w-]{22}$/);
    expect(newKey('sk_')).to.match(/^sk_[0-9A-Za-z]{43}$/);
    expect(new Set(Array.from({ length: 1000 }, () => newKey('pk_'))).size).to.equal(1000);
  });

  it('of another shape are no keys', () => {
    for (const text of [
      '',
      'sk_',
      'sk_short',
      newKey('pk_').slice(1),
      `${newKey('pk_')}x`,
      'xx_' + newKey('pk_').slice(3),
    ]) {
      expect(isKeyShaped(text), text).to.equal(false);
    }
  });
});
