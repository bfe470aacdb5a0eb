/**
 * `operator.sock` in the data folder: what each project is doing now, and how many of its events are old, for `wl admin` on the
 * same machine. Only those who may
 * open the folder may ask: it is not a network address.
 */
import fs from 'node:fs';
import type { Server } from 'node:http';
import { OPERATOR_SOCKET } from '../control/process/operator-socket.ts';
import { DAY_MS, MINUTE_MS } from '../base/day.ts';
import { projectRef } from '../router/project-ref.ts';
import type { RouterContext } from '../router/context.ts';
import { tenantsNow } from '../router/limits/tenants-now.ts';
import { eventsBefore } from '../store/events-before.ts';
import { createServer } from '../base/net/node-http.ts';

const UNKNOWN = { error: 'GET /tenants or /older' };

const MAX_CONNECTIONS = 16;

/** Listens once it resolves. If the folder's file system or path does not allow a socket, there is none, and the log says so. */
export async function openOperatorSocket(context: RouterContext): Promise<Server> {
  const { config, log } = context;
  const socket = `${config.data}/${OPERATOR_SOCKET}`;
  fs.rmSync(socket, { force: true }); // left by a killed service: this one has the folder's lock
  const server = createServer((request, response) => {
    const send = (status: number, answer: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(answer));
    };
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://operator');
    if (request.method !== 'GET') return send(404, UNKNOWN);
    if (pathname === '/tenants') {
      tenantsNow(context).then(
        (answer) => send(200, answer),
        (error: unknown) => {
          log.warn({ err: error }, 'what projects do could not be read');
          request.destroy();
        },
      );
      return;
    }
    if (pathname !== '/older') return send(404, UNKNOWN);
    older(context, searchParams).then(
      (events) => send(200, { events }),
      (error: unknown) => {
        log.warn({ err: error }, 'events older than a retention could not be counted');
        send(200, { events: null });
      },
    );
  });
  server.timeout = MINUTE_MS; // without a byte: counting takes at most as long as a query may
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve) => {
    server.once('error', (error) => {
      log.warn({ socket, reason: error.message }, 'wl admin top and project set will not reach this service');
      resolve();
    });
    server.listen(socket, () => {
      fs.chmodSync(socket, 0o600);
      resolve();
    });
  });
  return server;
}

/** How many events of a project are older than so many days. */
async function older({ config, control, store }: RouterContext, parameters: URLSearchParams): Promise<number> {
  const project = await control.projects.get(parameters.get('project') ?? '');
  const before = Date.now() - Number(parameters.get('days')) * DAY_MS;
  return eventsBefore(store, projectRef(project), before, config.queryTimeout);
}
