/** Sends requests over several connections at once, each as fast as answers come. */
import { HttpConnection, postRequest } from '../http-connection.ts';
import { quantile } from '../statistics.ts';
import type { Target } from './process.ts';

export interface SentResult {
  readonly perSecond: number;
  readonly seconds: number;
  /** Milliseconds from a request's first byte to its acknowledgement. */
  readonly p50: number;
  readonly p99: number;
}

export interface BatchResult extends SentResult {
  readonly events: number;
  readonly eventsPerSecond: number;
}

/** `events`: total in all bodies. Throws when a batch is refused or not fully accepted. */
export async function sendBatches(
  target: Target,
  bodies: readonly Buffer[],
  { events, connections }: { readonly events: number; readonly connections: number },
): Promise<BatchResult> {
  let accepted = 0;
  const sent = await sendAll(target, '/track', {
    bodies,
    connections,
    answered: (body) => (accepted += countOf(body)),
  });
  if (accepted !== events) throw new Error(`${accepted} of ${events} events were accepted`);
  return { ...sent, events, eventsPerSecond: events / sent.seconds };
}

/** One identify per request, for `count` users, each with a device and two properties. */
export function sendIdentifies(
  target: Target,
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<SentResult> {
  const bodies = Array.from({ length: count }, (_, nth) => {
    const user_properties = { plan: nth % 3 === 0 ? 'pro' : 'free', seats: nth % 50 };
    return Buffer.from(JSON.stringify({ user_id: `user-${nth}`, device_id: `device-${nth}`, user_properties }));
  });
  return sendAll(target, '/identify', { bodies, connections, answered: () => undefined });
}

interface Sending {
  readonly bodies: readonly Buffer[];
  readonly connections: number;
  readonly answered: (body: Buffer) => void;
}

async function sendAll(target: Target, path: string, { bodies, connections, answered }: Sending): Promise<SentResult> {
  const headers = { 'X-API-Key': target.key, 'Content-Type': 'application/json' };
  const requests = bodies.map((body) => postRequest(path, headers, body));
  const open = await Promise.all(
    Array.from({ length: connections }, () => HttpConnection.open(target.host, target.port)),
  );
  const latencies = new Float64Array(requests.length);
  let next = 0;
  const begun = performance.now();
  const run = async (connection: HttpConnection): Promise<void> => {
    while (next < requests.length) {
      const at = next++;
      const sent = performance.now();
      const answer = await connection.send(requests[at]!);
      latencies[at] = performance.now() - sent;
      if (answer.status !== 200) throw new Error(`a request was answered ${answer.status} ${answer.body.toString()}`);
      answered(answer.body);
    }
  };
  await Promise.all(open.map(run));
  const seconds = (performance.now() - begun) / 1000;
  for (const connection of open) connection.close();
  const values = [...latencies];
  return {
    perSecond: requests.length / seconds,
    seconds,
    p50: quantile(values, 0.5),
    p99: quantile(values, 0.99),
  };
}

/** Reads `{"accepted":100}` without parsing JSON. */
function countOf(body: Buffer): number {
  return parseInt(body.toString('latin1', body.indexOf(58) + 1), 10); // after the colon
}
