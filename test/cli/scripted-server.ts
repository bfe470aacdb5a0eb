/** A server that answers as a test says: for what a real one only does when it is in trouble. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A request as received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Decompressed. */
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

type Reply = (response: ServerResponse, request: Received) => void;

export class ScriptedServer {
  readonly requests: Received[] = [];
  readonly #server: Server;
  readonly #replies: Reply[];
  readonly #last: Reply;

  /** Answers with `replies` in turn, then always with `last`. */
  constructor(replies: readonly Reply[], last: Reply) {
    this.#replies = [...replies];
    this.#last = last;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await buffer(request);
    const packed = request.headers['content-encoding'] === 'gzip';
    const received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: (packed ? gunzipSync(bytes) : bytes).toString('utf8'),
      at: Date.now(),
    };
    this.requests.push(received);
    (this.#replies.shift() ?? this.#last)(response, received);
  }
}

/** Answers with a status and JSON. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers as /track does. */
export const taken: Reply = (response, { body }) => {
  const parsed: unknown = JSON.parse(body);
  const events = typeof parsed === 'object' && parsed !== null && 'events' in parsed ? parsed.events : [parsed];
  json(200, { accepted: Array.isArray(events) ? events.length : 0, rejected: 0, errors: [] })(response, {
    method: '', url: '', headers: {}, body, at: 0,
  }); // prettier-ignore
};

/** Never answers. */
export const silence: Reply = () => undefined;

/** Cuts the connection. */
export const cut: Reply = (response) => void response.destroy();
