/**
 * Processor time of a client for a request of 25 KB that is one of many, over `Wires` and over node:http, to a server on
 * loopback: microseconds a request, round by round.
 *
 *   node dist/bench/micro/wires.js [rounds]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Outgoing } from '../../lib/cli/client/attempt.ts';
import { Connections, exchange } from '../../lib/cli/client/http.ts';
import { Wires } from '../../lib/cli/client/wires.ts';

const REQUESTS = 2_000;
const AT_A_TIME = 8;
const LIMITS = { timeout: 30_000, signal: null };
const body = Buffer.alloc(25_000, 'x');

if (process.argv[2] === 'server') serve();
else await compare(Number(process.argv[2] ?? 5));

async function compare(rounds: number): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url), ['server']);
  const [port]: unknown[] = await once(server, 'message');
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const request = { method: 'POST', url: new URL(`http://127.0.0.1:${String(port)}/track`), headers, body } as const;
  const [wires, connections] = [new Wires(), new Connections()];
  const ways: Record<string, () => Promise<unknown>> = {
    wires: () => wires.exchange(request, LIMITS),
    'node:http': () => exchange(connections, request satisfies Outgoing, LIMITS),
  };
  for (let round = 0; round < rounds; round += 1)
    for (const [name, send] of Object.entries(ways)) console.log(name.padEnd(10), `${await timeOf(send)} µs a request`);
  server.kill();
}

async function timeOf(send: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  let left = REQUESTS;
  const sender = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, sender));
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / REQUESTS);
}

function serve(): void {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"accepted":100,"rejected":0,"errors":[]}'));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : null);
  });
}
