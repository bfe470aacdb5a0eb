const assert = require('node:assert');

describe('tests', () => {
  it('differ', () => assert.deepStrictEqual({ shop: 'left side' }, { shop: 'right side' }));
  it('have causes', () => {
    throw new Error('what was seen', { cause: new Error('what it came from') });
  });
  it('are left for later');
  it('pass', () => {});
});

describe('tests after a hook that fails', () => {
  before(() => {
    throw new Error('the hook fails');
  });
  it('do not run', () => {});
});
