/** Parses a body and returns its length: the least that any service does. */
import { parentPort } from 'node:worker_threads';

parentPort!.on('message', (body: Uint8Array) => {
  const { q }: { q: string } = JSON.parse(Buffer.from(body).toString('utf8'));
  parentPort!.postMessage(JSON.stringify({ length: q.length }), []);
});
