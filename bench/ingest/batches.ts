/** Sends batches over several connections at once, each as fast as it is answered. */
import { HttpConnection, postRequest } from '../http-connection.ts';
import { quantile } from '../statistics.ts';
import type { Target } from './process.ts';

export interface BatchResult {
  readonly events: number;
  readonly seconds: number;
  readonly eventsPerSecond: number;
  /** Milliseconds from a batch's first byte to its acknowledgement. */
  readonly p50: number;
  readonly p99: number;
}

/** `events`: how many the bodies hold together. Throws when a batch is refused or not accepted whole. */
export async function sendBatches(
  target: Target,
  bodies: readonly Buffer[],
  { events, connections }: { readonly events: number; readonly connections: number },
): Promise<BatchResult> {
  const headers = { 'X-API-Key': target.key, 'Content-Type': 'application/json' };
  const requests = bodies.map((body) => postRequest('/track', headers, body));
  const open = await Promise.all(
    Array.from({ length: connections }, () => HttpConnection.open(target.host, target.port)),
  );
  const latencies = new Float64Array(requests.length);
  let next = 0;
  let accepted = 0;
  const begun = performance.now();
  const run = async (connection: HttpConnection): Promise<void> => {
    while (next < requests.length) {
      const at = next++;
      const sent = performance.now();
      const answer = await connection.send(requests[at]!);
      latencies[at] = performance.now() - sent;
      accepted += acceptedOf(answer.status, answer.body);
    }
  };
  await Promise.all(open.map(run));
  const seconds = (performance.now() - begun) / 1000;
  for (const connection of open) connection.close();
  if (accepted !== events) throw new Error(`${accepted} of ${events} events were accepted`);
  const values = [...latencies];
  return {
    events,
    seconds,
    eventsPerSecond: events / seconds,
    p50: quantile(values, 0.5),
    p99: quantile(values, 0.99),
  };
}

/** Reads `{"accepted":100}` without a parse. */
function acceptedOf(status: number, body: Buffer): number {
  if (status !== 200) throw new Error(`a batch was answered ${status} ${body.toString('utf8')}`);
  return parseInt(body.toString('latin1', body.indexOf(58) + 1), 10); // after the colon
}
