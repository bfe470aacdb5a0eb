import { expect } from 'chai';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { wl } from '../../test/cli/run-wl.ts';
import { statementsFrom } from '../lib/clickhouse/migrate.ts';
import { clickHouseLocation } from '../../lib/base/config/clickhouse-location.ts';

const STORE = 'clickhouse://windlass:secret@127.0.0.1:1/windlass';

describe('windlass-cluster, bundled and loaded by the bundle of the service', () => {
  const env = { WINDLASS_DATA: temporaryFolder(), WINDLASS_STORE: STORE, WINDLASS_SECRET: 's'.repeat(32) };

  it('is found by `wl admin cluster`', async () => {
    const { code, stdout, stderr } = await wl(['admin', 'cluster', 'init', '--print', '--json'], env);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(stdout)).to.deep.equal(statementsFrom(0, clickHouseLocation.parse(STORE)));
  });

  it('throws errors that the service knows: there is one class of each', async () => {
    const lines = [
      wl(['admin', 'cluster', 'upgrade'], env),
      wl(['admin', 'cluster', 'export', 'prj_x', '/'], env),
      wl(['serve'], env),
      wl(['serve'], { ...env, WINDLASS_CONTROL: 'postgres://windlass:secret@127.0.0.1:1/windlass' }),
    ];
    for (const { code, stderr } of await Promise.all(lines)) {
      expect(code).to.equal(1);
      expect(stderr).to.match(/^wl: /m).and.not.include('bug');
    }
  });
});
