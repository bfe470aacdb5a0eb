/** What stands before several nodes: sends each request to the next one that is ready, and again to another where that fails. */
import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { listenOnLoopback } from './listening.ts';

export interface Balancer {
  readonly url: string;
  /** URLs of the nodes, in turn. */
  nodes: readonly string[];
  /** How often a request was sent again. */
  readonly retries: number;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * How long a node may take for an answer to /track, which may be sent again, and the balancer with all of them, milliseconds. What
 * comes of any other request is waited for: it may be good for one time, as the end of a login is.
 */
const PATIENCE = { node: 4_000, all: 240_000 };
const PAUSE = 50;

export async function startBalancer(): Promise<Balancer> {
  let [turn, retries] = [0, 0];
  const forward = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    const body = await buffer(from);
    const until = performance.now() + PATIENCE.all;
    for (;;) {
      const node = balancer.nodes[turn++ % balancer.nodes.length]!;
      const answer = await ask(node, from, body).catch(() => null); // it is gone, or stands still
      if (answer !== null && (answer.status !== 503 || performance.now() > until)) {
        to.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      }
      if (performance.now() > until) {
        to.writeHead(502).end();
        return;
      }
      retries++;
      await pause(PAUSE);
    }
  };
  const server = await listenOnLoopback(() => (from, to) => void forward(from, to));
  const balancer = {
    url: server.url,
    nodes: [] as readonly string[],
    get retries() {
      return retries;
    },
    stop: () => server.stop(),
  };
  return balancer;
}

function ask(node: string, { method, url = '/', headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const bounds = url === '/track' ? { signal: AbortSignal.timeout(PATIENCE.node) } : {};
    const on = request(new URL(url, node), { method, headers, agent: false, ...bounds }, (answer) => {
      buffer(answer).then((bytes) => {
        resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: bytes });
      }, reject);
    });
    on.on('error', reject);
    on.end(body);
  });
}
