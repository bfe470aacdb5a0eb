/** /metrics on a separate address, never on the public one. */
import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import { createServer } from '../base/net/node-http.ts';
import { Exchanges } from '../router/http/exchanges.ts';

const TIMEOUT_MS = 10_000;
/** Only monitoring has anything to do here. */
const MAX_CONNECTIONS = 32;

export function createMetricsServer(registry: Registry): Server {
  const server = createServer();
  const exchanges = new Exchanges((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end('GET /metrics\n');
      return;
    }
    registry.metrics().then(
      (text) => {
        response.writeHead(200, { 'Content-Type': registry.contentType });
        response.end(text);
      },
      (error: unknown) => {
        response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' });
        response.end(`${String(error)}\n`);
      },
    );
  });
  exchanges.take(server);
  server.timeout = TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}
