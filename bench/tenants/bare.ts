/** The unit of these measurements: a bare `node:http` server, hot, that hands each body to one thread. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Asker } from './asker.ts';

const HOT = 300;

export class BareServer {
  readonly #asker: Asker;
  readonly #stop: () => void;

  private constructor(asker: Asker, stop: () => void) {
    this.#asker = asker;
    this.#stop = stop;
  }

  static async start(): Promise<BareServer> {
    const child = fork(fileURLToPath(new URL('./bare-server.js', import.meta.url)));
    const [port] = (await once(child, 'message')) as [number];
    const server = new BareServer(await Asker.open(port), () => child.kill());
    for (let nth = 0; nth < HOT; nth++) await server.ask('hot');
    return server;
  }

  ask(q: string): Promise<number> {
    return this.#asker.query('', q);
  }

  stop(): void {
    this.#asker.close();
    this.#stop();
  }
}
