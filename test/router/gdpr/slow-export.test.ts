import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { startOnStore } from '../../support/service.ts';

/** Of a user whose second piece takes as long as the test wants. */
class SlowStore extends MemoryStore {
  readonly slow = Promise.withResolvers<void>();
  override async *exportUser(): AsyncIterable<Uint8Array> {
    yield Buffer.from('{"type":"profile"}\n');
    await this.slow.promise;
    yield Buffer.from('{"type":"event"}\n');
  }
}

describe('an export whose next piece takes the service long', () => {
  it('is whole, though nothing moves on the connection for longer than its client may keep it waiting', async () => {
    const store = new SlowStore();
    const test = await startOnStore(store);
    const sockets: Socket[] = [];
    const began = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('http.server.request.start', began);
    try {
      const response = await fetch(`${test.url}/api/gdpr/users/u/export`, {
        headers: { 'X-API-Key': test.keys.secretKey },
      });
      for (const socket of sockets) socket.emit('timeout'); // as the socket does when the limit has passed
      expect(sockets.map(({ timeout, destroyed }) => [timeout, destroyed])).to.deep.equal([[60_000, false]]);
      store.slow.resolve();
      expect(await response.text()).to.equal('{"type":"profile"}\n{"type":"event"}\n');
    } finally {
      unsubscribe('http.server.request.start', began);
      store.slow.resolve();
      await test.stop();
    }
  });
});
