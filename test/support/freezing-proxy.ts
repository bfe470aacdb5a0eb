/** A way to a server that can go dead: nothing comes through, and nobody is told, as when a machine or a network is gone. */
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

export interface FreezingProxy {
  readonly port: number;
  /** What is connected stays dead for ever; what connects meanwhile, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** The next time that a client sends this, it comes through, and instead of the answer the connection breaks. */
  loseAnswerTo(text: string): void;
  stop(): Promise<void>;
}

export async function freezingProxy(port: number, host = '127.0.0.1'): Promise<FreezingProxy> {
  let frozen = false;
  let lost: string | null = null;
  const open = new Set<Socket>();
  const server = createServer((from) => {
    open.add(from);
    from.on('error', () => undefined).on('close', () => open.delete(from));
    if (frozen) return;
    const to = connect(port, host);
    open.add(to);
    to.on('error', () => from.destroy()).on('close', () => {
      open.delete(to);
      if (!to.isPaused()) from.destroy();
    });
    from.on('close', () => to.destroy());
    from.on('data', (sent: Buffer) => {
      if (lost === null || !sent.includes(lost)) return;
      lost = null;
      to.unpipe(from)
        .once('data', () => from.destroy())
        .resume();
    });
    from.pipe(to);
    to.pipe(from);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    freeze: () => {
      frozen = true;
      for (const socket of open) socket.unpipe().pause();
    },
    thaw: () => (frozen = false),
    loseAnswerTo: (text) => (lost = text),
    stop: async () => {
      const closed = once(server.close(), 'close');
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
