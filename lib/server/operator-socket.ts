/**
 * `operator.sock` in the data folder: what each project is doing now, for `wl admin top` on the same machine. Only those who may
 * open the folder may ask: it is not a network address.
 */
import fs from 'node:fs';
import type { Server } from 'node:http';
import { OPERATOR_SOCKET, type TenantNow } from '../control/process/operator-socket.ts';
import type { RouterContext } from '../router/context.ts';
import { createServer } from '../base/net/node-http.ts';

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 16;

/** Listens once it resolves. If the folder's file system or path does not allow a socket, there is none, and the log says so. */
export async function openOperatorSocket(context: RouterContext): Promise<Server> {
  const { config, log } = context;
  const socket = `${config.data}/${OPERATOR_SOCKET}`;
  fs.rmSync(socket, { force: true }); // left by a killed service: this one has the folder's lock
  const server = createServer((request, response) => {
    const found = request.method === 'GET' && request.url === '/tenants';
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json; charset=utf-8' });
    response.end(
      JSON.stringify(found ? { at: performance.now(), tenants: tenantsOf(context) } : { error: 'GET /tenants' }),
    );
  });
  server.timeout = TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve) => {
    server.once('error', (error) => {
      log.warn({ socket, reason: error.message }, 'wl admin top will not reach this service');
      resolve();
    });
    server.listen(socket, () => {
      fs.chmodSync(socket, 0o600);
      resolve();
    });
  });
  return server;
}

function tenantsOf({ load, admission, bodies, unread, store }: RouterContext): TenantNow[] {
  return [...load.all()].map(([id, { events, queries, queryMs, refused }]) => ({
    ...{ project_id: id, events, queries, query_ms: queryMs, refused, ...admission.loadOf(id) },
    held_bytes: bodies.heldBy(id) + unread.heldBy(id) + store.queuedBy(id),
  }));
}
