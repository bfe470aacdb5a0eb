/** One attempt of a request, with Node's own HTTP client: it starts faster than fetch and streams with back-pressure. */
import type { Agent, ClientRequest, request } from 'node:http';
import { Attempt, type Answer, type Limits, type Outgoing } from './attempt.ts';

export type Attempted<T> = { readonly success: T } | { readonly failure: Answer };

interface Module {
  readonly send: typeof request;
  readonly agent: Agent;
}

/** Keeps connections for later requests. Loads only the module for the address's protocol. */
export class Connections {
  #module: Module | null = null;

  async open(outgoing: Outgoing): Promise<ClientRequest> {
    const { method, url, headers } = outgoing;
    this.#module ??= await load(url.protocol);
    const { send, agent } = this.#module;
    return send(url, { method, headers, agent });
  }
}

/** Sends a request and reads the whole answer, whatever its status. Rejects with TransportError, or the signal's reason. */
export async function exchange(connections: Connections, outgoing: Outgoing, limits: Limits): Promise<Answer> {
  const attempt = new Attempt(await connections.open(outgoing), outgoing, limits);
  try {
    return await attempt.whole(await attempt.answer());
  } finally {
    attempt.end();
  }
}

/**
 * Sends a request and streams the answer: its bytes on success, else the whole of it. Bytes that nobody reads stay with the
 * server.
 */
export async function openStream(
  connections: Connections,
  outgoing: Outgoing,
  limits: Limits,
): Promise<Attempted<AsyncGenerator<Buffer>>> {
  const attempt = new Attempt(await connections.open(outgoing), outgoing, limits);
  try {
    const response = await attempt.answer();
    if (isSuccess(response.statusCode ?? 0, response.headers['content-type']))
      return { success: attempt.parts(response) };
    const failure = await attempt.whole(response);
    attempt.end();
    return { failure };
  } catch (error) {
    attempt.end();
    throw error;
  }
}

/** An HTML page with a 200 comes not from the server, but from a portal or proxy in front of it. */
export function isSuccess(status: number, contentType = ''): boolean {
  return status >= 200 && status < 300 && !/^text\/html\b/i.test(contentType);
}

async function load(protocol: string): Promise<Module> {
  const options = { keepAlive: true };
  if (protocol === 'https:') {
    const { request: send, Agent: SecureAgent } = await import('node:https');
    return { send, agent: new SecureAgent(options) };
  }
  const { request: send, Agent: PlainAgent } = await import('node:http');
  return { send, agent: new PlainAgent(options) };
}
