import { expect } from 'chai';
import { ClickHouse, type Rows, type Statement } from '../../lib/clickhouse/client.ts';
import { eraseUser } from '../../lib/clickhouse/user-data.ts';

/** Knows a profile of the user and no event or binding. */
class OneProfile extends ClickHouse {
  readonly asked: string[] = [];
  readonly removed: string[] = [];

  constructor() {
    super({ url: 'http://localhost:1', user: '', password: '', database: 'none', cluster: null });
  }

  override async value({ sql }: Statement): Promise<unknown> {
    this.asked.push(sql);
    return sql.includes('FROM identities') ? 1 : 0;
  }

  override async query(): Promise<Rows> {
    return { rows: [], elapsed: 0, rowsRead: 0, bytesRead: 0 };
  }

  override async run({ sql }: Statement): Promise<void> {
    this.removed.push(sql);
  }
}

describe('erasure of a user in ClickHouse', () => {
  it('asks nothing whose answer nobody awaits: its failure would end the server', async () => {
    await using clickHouse = new OneProfile();
    const erased = await eraseUser(clickHouse, 'prj_1', { userId: 'u1', devices: [], upTo: 7 });
    expect(erased).to.deep.equal({ events: 0, profiles: 1, devices: 0 });
    expect(clickHouse.removed).to.have.lengthOf(1);
    expect(clickHouse.asked, 'the events, the profile; not whether there are events of the user').to.have.lengthOf(2);
  });
});
