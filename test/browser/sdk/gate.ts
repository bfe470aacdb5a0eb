/** Sits between a page and the service: passes requests on, or fails them as networks and servers do. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as send } from 'node:http';
import type { Listening } from '../../support/listening.ts';
import { listenOnLoopback } from '../../support/listening.ts';

/**
 * `lost`: the service gets the request, but its answer never arrives; `silent`: nobody ever answers; an object: answered in place
 * of the service.
 */
export type Mode =
  'pass' | 'lost' | 'silent' | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export interface Passed {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Modes apply to /track and /identify; everything else passes. */
export class Gate {
  mode: Mode = 'pass';
  /** Requests to /track and /identify, and their preflights. */
  passed: Passed[] = [];
  readonly #listening: Listening;

  private constructor(listening: Listening) {
    this.#listening = listening;
  }

  static async start(service: string): Promise<Gate> {
    const gate: Gate = new Gate(
      await listenOnLoopback(
        (url) => (request, response) => void gate.#handle(new URL(service), url, { request, response }),
      ),
    );
    return gate;
  }

  get url(): string {
    return this.#listening.url;
  }

  stop(): Promise<void> {
    return this.#listening.stop();
  }

  async #handle(
    service: URL,
    own: string,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): Promise<void> {
    const url = new URL(request.url ?? '/', own);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
    } catch {
      return; // the browser cancelled it
    }
    const body = Buffer.concat(chunks);
    const isIngest = /^\/(?:track|identify)$/.test(url.pathname);
    if (isIngest) this.passed.push({ method: request.method ?? '', url, headers: request.headers, body: String(body) });
    const mode = isIngest ? this.mode : 'pass';
    if (mode === 'silent') return;
    if (typeof mode === 'object') {
      response.writeHead(mode.status, {
        'Access-Control-Allow-Origin': request.headers.origin ?? '*',
        'Access-Control-Expose-Headers': 'Retry-After, RateLimit-Reset',
        ...mode.headers,
      });
      response.end('{}');
      return;
    }
    const { method, headers } = request;
    const passing = send(new URL(url.pathname + url.search, service), { method, headers }, (answer) => {
      if (mode === 'lost') {
        answer.resume().on('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passing.on('error', () => request.socket.destroy());
    passing.end(body);
  }
}
