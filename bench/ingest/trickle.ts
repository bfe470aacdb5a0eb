/** One event per request, over many projects, at a rate that does not wait for answers: the way browsers send. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { HttpConnection, postRequest } from '../http-connection.ts';
import { quantile } from '../statistics.ts';
import type { Target } from './process.ts';

export interface TrickleResult {
  /** Milliseconds from when a request was sent to its acknowledgement, including any wait for its connection's last answer. */
  readonly p50: number;
  readonly p99: number;
  /** The same of requests sent after START, when the service runs compiled code and knows the projects. */
  readonly later: number;
  /** Milliseconds that requests were sent late, 99th percentile: the client's own share. */
  readonly late: number;
}

/** Milliseconds in which a service that has just started meets all projects. */
const START = 2_000;

/** How often per second requests are sent. */
const TICKS = 500;

/** Seconds in which the client sends to a server of its own, until its own code is compiled. */
const WARMING = 1;
const HOST = '127.0.0.1';

interface Rate {
  readonly perSecond: number;
  readonly seconds: number;
}

/** Milliseconds of each request. */
interface Sent {
  readonly latencies: readonly number[];
  readonly later: readonly number[];
  readonly late: readonly number[];
}

/** Every project has a connection, and they take turns with the events. Throws when one is refused. */
export async function sendTrickle(
  targets: readonly Target[],
  lines: readonly string[],
  rate: Rate,
): Promise<TrickleResult> {
  await warmUp(targets, lines, rate);
  const { latencies, later, late } = await sendAtRate(targets, lines, rate);
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  return { p50, p99, later: quantile(later, 0.99), late: quantile(late, 0.99) };
}

/** Sends to a server of its own, over as many connections. */
async function warmUp(targets: readonly Target[], lines: readonly string[], rate: Rate): Promise<void> {
  const server = createServer((request, response) => void request.resume().once('end', () => response.end('{}')));
  await once(server.listen(0, HOST), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server of the client has no port');
  const own = targets.map((target) => ({ ...target, host: HOST, port: address.port }));
  await sendAtRate(own, lines, { ...rate, seconds: WARMING });
  server.close();
}

async function sendAtRate(
  targets: readonly Target[],
  lines: readonly string[],
  { perSecond, seconds }: Rate,
): Promise<Sent> {
  const open = await Promise.all(targets.map(({ host, port }) => HttpConnection.open(host, port)));
  const free: Promise<unknown>[] = open.map(() => Promise.resolve());
  const latencies: number[] = [];
  const later: number[] = [];
  const late: number[] = [];
  const begun = performance.now();
  const send = async (nth: number): Promise<void> => {
    const at = nth % targets.length;
    const headers = { 'X-API-Key': targets[at]!.key, 'Content-Type': 'application/json' };
    const request = postRequest('/track', headers, Buffer.from(lines[nth % lines.length]!, 'latin1'));
    const sent = performance.now();
    late.push(sent - begun - (nth * 1000) / perSecond);
    const answering = free[at]!.then(() => open[at]!.send(request));
    free[at] = answering;
    const answer = await answering;
    if (answer.status !== 200) throw new Error(`a request was answered ${answer.status} ${answer.body.toString()}`);
    const latency = performance.now() - sent;
    latencies.push(latency);
    if (sent - begun > START) later.push(latency);
  };
  const sending: Promise<void>[] = [];
  while (sending.length < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, ((performance.now() - begun) / 1000) * perSecond);
    while (sending.length < due) sending.push(send(sending.length));
    await new Promise((wait) => setTimeout(wait, 1000 / TICKS));
  }
  await Promise.all(sending);
  for (const connection of open) connection.close();
  return { latencies, later, late };
}
