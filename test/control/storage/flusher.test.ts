import { expect } from 'chai';
import { LastUses } from '../../../lib/control/storage/flusher.ts';

describe('last uses that wait to be written', () => {
  it('are written in the order of keys on each node, whoever was used first', async () => {
    const written: string[] = [];
    const write = (key: string): Promise<void> => Promise.resolve(void written.push(key));
    const uses = new LastUses({ schedule: () => undefined }, write);
    for (const key of ['c', 'a', 'b']) uses.note(key, 1);
    for (const batch of uses.takeNews()) await batch.write();
    expect(written).to.deep.equal(['a', 'b', 'c']);
  });
});
