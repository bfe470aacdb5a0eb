/** The program of the load client: separate from the harness, so that they share nothing and it is warm when it counts. */
import { serveParent } from '../child.ts';
import { sendBatches, sendIdentifies, type BatchResult, type SentResult } from './batches.ts';
import { batchBodies, firstLines } from './bodies.ts';
import { sendBulk, type BulkResult } from './bulk.ts';
import { parseSeconds } from './parse-rate.ts';
import { sendTrickle, type TrickleResult } from './trickle.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly key: string;
}

export type LoadRequest =
  | { kind: 'bulk'; target: Target; path: '/track' | '/identify'; file: string }
  | { kind: 'batches'; target: Target; file: string; events: number; size: number; connections: number }
  | { kind: 'identify'; target: Target; count: number; connections: number }
  | { kind: 'trickle'; targets: readonly Target[]; file: string; perSecond: number; seconds: number }
  | { kind: 'parse'; file: string; events: number; size: number };

/** Events per second of one thread's JSON.parse over the bodies of batches, and line by line. */
export interface ParseRates {
  readonly batches: number;
  readonly lines: number;
}

export type LoadAnswer =
  | { bulk: BulkResult }
  | { batches: BatchResult }
  | { identify: SentResult }
  | { trickle: TrickleResult }
  | { parse: ParseRates };

/** Events that a trickle repeats. */
const TRICKLED = 20_000;

async function answer(request: LoadRequest): Promise<LoadAnswer> {
  if (request.kind === 'bulk') return { bulk: await sendBulk(request.target, request.path, request.file) };
  if (request.kind === 'identify') return { identify: await sendIdentifies(request.target, request) };
  if (request.kind === 'trickle') {
    const lines = await firstLines(request.file, TRICKLED);
    return { trickle: await sendTrickle(request.targets, lines, request) };
  }
  const lines = await firstLines(request.file, request.events);
  const bodies = batchBodies(lines, request.size);
  if (request.kind === 'batches') {
    return {
      batches: await sendBatches(request.target, bodies, { events: lines.length, connections: request.connections }),
    };
  }
  const perLine = lines.map((line) => Buffer.from(line, 'latin1'));
  return { parse: { batches: lines.length / parseSeconds(bodies), lines: lines.length / parseSeconds(perLine) } };
}

serveParent(answer, () => undefined);
