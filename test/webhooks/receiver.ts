/** A receiver of webhooks, over real HTTP, that answers as a test tells it to. */
import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Delivery {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The parsed body. */
  readonly message: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

export class Receiver {
  /** The status of the next answers. */
  status = 200;
  readonly deliveries: Delivery[] = [];
  readonly #server: Server;
  #read = 0;
  readonly #news = new EventEmitter();

  constructor() {
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        response.writeHead(this.status, { location: '/elsewhere' }).end('not read');
        const id = String(request.headers['webhook-id']);
        this.deliveries.push({ id, headers: request.headers, body, message: JSON.parse(body) });
        this.#news.emit('delivery');
      });
    });
  }

  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  /** The next delivery that no call has returned yet. */
  async next(): Promise<Delivery> {
    for (;;) {
      const delivery = this.deliveries[this.#read];
      if (delivery !== undefined) {
        this.#read += 1;
        return delivery;
      }
      await once(this.#news, 'delivery');
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Checks the signature as receivers do, by the specification alone. `secret`: what follows `whsec_`. */
export function isSigned({ headers, body }: Delivery, secret: string): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const mac = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${mac}`;
}
