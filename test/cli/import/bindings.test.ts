import { expect } from 'chai';
import { Bindings } from '../../../lib/cli/import/bindings.ts';

describe('bindings of an import', () => {
  const binding = (user_id: string, hour: number, more: object = {}): Readonly<Record<string, unknown>> => ({
    ...{ user_id, device_id: 'd', time: `2024-05-01T${String(hour).padStart(2, '0')}:00:00Z`, ...more },
  });

  it('are sent once a day, and whenever a device changes hands', () => {
    const bindings = new Bindings();
    const users = ['a', 'a', 'b', 'b', 'a', 'a'];
    expect(users.map((user, hour) => bindings.isNew(binding(user, hour)))).to.deep.equal([
      ...[true, false, true, false, true, false],
    ]);
    expect(bindings.isNew(binding('a', 9, { time: '2024-05-02T00:00:00Z' }))).to.equal(true);
    expect(bindings.isNew(binding('a', 9, { time: '2024-05-02T00:00:00Z', device_id: 'e' }))).to.equal(true);
  });

  it('are always sent with a change of the profile, without a device or with a time that is none', () => {
    const bindings = new Bindings();
    const odd = [{ user_properties: { plan: 'a' } }, { device_id: undefined }, { time: 'soon' }, { time: undefined }];
    for (const more of odd)
      expect([bindings.isNew(binding('a', 1, more)), bindings.isNew(binding('a', 1, more))]).to.deep.equal([
        true,
        true,
      ]);
    expect(bindings.isNew(binding('a', 2))).to.equal(false);
  });
});
