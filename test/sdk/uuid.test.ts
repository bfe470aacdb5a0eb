import { expect } from 'chai';
import { timeOfUuid, uuidv7 } from '../../sdk/core/uuid.ts';

describe('ids of the script and the package', () => {
  it('are UUIDs of version 7, with the time when they were made', () => {
    const before = Date.now();
    const id = uuidv7();
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOfUuid(id)).to.be.within(before, Date.now());
  });

  it('sort in the order in which they were made, within a millisecond too, and are never the same', () => {
    const ids = Array.from({ length: 5_000 }, uuidv7);
    expect(ids.toSorted()).to.deep.equal(ids);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
