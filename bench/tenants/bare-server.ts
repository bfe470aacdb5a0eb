/** The unit of the tenants' bench: a `node:http` server that hands each body to one thread and returns its answer. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';

const thread = new Worker(new URL('./bare-thread.js', import.meta.url));
let turn: Promise<unknown> = Promise.resolve();

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    turn = turn.then(async () => {
      thread.postMessage(Buffer.concat(pieces), []);
      const [answer] = (await once(thread, 'message')) as [string];
      response.setHeader('Content-Type', 'application/json').end(answer);
    });
  });
});
server.keepAliveTimeout = 0; // other things are measured in between
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(address.port);
});
