/** Answers to what is not HTTP: in our format, and after those to the requests before it on the connection. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { tellBroken } from './broken-body.ts';
import { commonHeaders } from './common-headers.ts';

/** Answers what `server` cannot parse as a request. @param url WINDLASS_URL, for the headers of every answer. */
export function answerNonsense(server: Server, url: string | null): void {
  const headers = commonHeaders(url).map(([name, value]) => `${name}: ${value}\r\n`);
  const exchanges = new WeakMap<Duplex, Exchanges>();
  const began = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const { unanswered } = exchanges.get(socket) ?? { unanswered: new Set<ServerResponse>() };
    exchanges.set(socket, { unanswered, last: response });
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.prependListener(event, began);
  const refused = new WeakSet<Duplex>(); // every later piece of such a connection is an error, too
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { last, unanswered = [] } = exchanges.get(socket) ?? {};
    const isInBody = last?.req.complete === false;
    if (isInBody && !last.headersSent && tellBroken(last.req)) {
      last.once('close', () => socket.end());
      return;
    }
    const end = (): void => {
      if (!socket.writable) return; // Node closes it once the answers are sent
      if (isInBody && last.headersSent) socket.end();
      else socket.end(refusal(error.code, headers));
    };
    // The requests before it are good, and may have stored events: their senders must learn of it.
    const before = [...unanswered].filter((response) => response !== last || !isInBody || response.headersSent).at(-1);
    if (before === undefined) end();
    else before.once('close', end);
  });
}

interface Exchanges {
  /** In order; a client may send thousands at once. */
  readonly unanswered: Set<ServerResponse>;
  readonly last?: ServerResponse;
}

function refusal(code: string | undefined, headers: readonly string[]): string {
  const [status, message] = REASONS.get(code ?? '') ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const body = JSON.stringify({ error: message, code: 'bad_request' });
  return (
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${headers.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

const REASONS = new Map<string, readonly [status: string, message: string]>([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The path and the headers are larger than 16 KiB.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The headers did not arrive in time.']],
]);
