import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DailySalt } from '../../../lib/control/storage/daily-salt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readConfig } from '../../../lib/base/config/config.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { createListener } from '../../../lib/router/listener.ts';
import { createContext } from '../../../lib/router/context.ts';
import { Lifecycle } from '../../../lib/router/lifecycle.ts';
import { createHttpServer } from '../../../lib/router/server.ts';
import { newWorld } from '../../control/open-control.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { MemoryStore } from '../../support/memory-store.ts';

/** In ms: after IDLE the server closes connections without traffic; an erasure takes LONG. */
const IDLE = 1_000;
const LONG = 2_500;

class SlowStore extends MemoryStore {
  override async eraseUser(): Promise<{ events: number; profiles: number; devices: number }> {
    await sleep(LONG);
    return { events: 7, profiles: 1, devices: 0 };
  }
}

describe('an erasure of a large project', () => {
  it('is answered, though nothing moves on the connection for longer than others may be idle', async () => {
    const { control, secretKey } = await newWorld();
    const config = readConfig({ WINDLASS_DATA: temporaryFolder() });
    const salt = new DailySalt(config.data);
    const [lifecycle, store] = [new Lifecycle(), new SlowStore()];
    const publicUrl = (): string => 'http://127.0.0.1';
    const context = createContext({
      config,
      log: silentLog(),
      control,
      store,
      lifecycle,
      salt,
      publicUrl,
      webhooks: null,
      mail: null,
    });
    const server = createHttpServer(createListener(context), config);
    server.timeout = IDLE;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    try {
      const url = `http://127.0.0.1:${address.port}/api/gdpr/users/u`;
      const response = await fetch(url, { method: 'DELETE', headers: { 'X-API-Key': secretKey } });
      expect(await response.json()).to.deep.equal({ deleted: { events: 7, profiles: 1, devices: 0 } });
    } finally {
      context.bodies.close();
      salt.close();
      server.close();
      server.closeAllConnections();
    }
  });
});
