/** Parses a body and says how long it is: what any service does at least. */
import { parentPort } from 'node:worker_threads';

parentPort!.on('message', (body: Uint8Array) => {
  const { q }: { q: string } = JSON.parse(Buffer.from(body).toString('utf8'));
  parentPort!.postMessage(JSON.stringify({ length: q.length }), []);
});
