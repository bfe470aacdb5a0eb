/** The harness's interface to ingest: every measurement in a fresh process. */
import { Child } from '../child.ts';
import type { BatchResult, SentResult } from './batches.ts';
import type { BulkResult } from './bulk.ts';
import type { LoadAnswer, LoadRequest, ParseRates, Target } from './process.ts';
import type { TrickleResult } from './trickle.ts';

export interface BatchOptions {
  readonly file: string;
  readonly events: number;
  /** Events per request. */
  readonly size: number;
  readonly connections: number;
}

export async function loadBulk(target: Target, path: '/track' | '/identify', file: string): Promise<BulkResult> {
  const answer = await inFreshProcess({ kind: 'bulk', target, path, file });
  if ('bulk' in answer) return answer.bulk;
  throw new Error('the load client answered something else');
}

export async function loadBatches(target: Target, options: BatchOptions): Promise<BatchResult> {
  const answer = await inFreshProcess({ kind: 'batches', target, ...options });
  if ('batches' in answer) return answer.batches;
  throw new Error('the load client answered something else');
}

export async function loadIdentifies(
  target: Target,
  options: { readonly count: number; readonly connections: number },
): Promise<SentResult> {
  const answer = await inFreshProcess({ kind: 'identify', target, ...options });
  if ('identify' in answer) return answer.identify;
  throw new Error('the load client answered something else');
}

export async function loadTrickle(
  targets: readonly Target[],
  options: { readonly file: string; readonly perSecond: number; readonly seconds: number },
): Promise<TrickleResult> {
  const answer = await inFreshProcess({ kind: 'trickle', targets, ...options });
  if ('trickle' in answer) return answer.trickle;
  throw new Error('the load client answered something else');
}

export async function measureParsing(options: Omit<BatchOptions, 'connections'>): Promise<ParseRates> {
  const answer = await inFreshProcess({ kind: 'parse', ...options });
  if ('parse' in answer) return answer.parse;
  throw new Error('the load client answered something else');
}

async function inFreshProcess(request: LoadRequest): Promise<LoadAnswer> {
  const child = new Child<LoadRequest, LoadAnswer>('load client', new URL('./process.js', import.meta.url));
  try {
    return await child.request(request);
  } finally {
    await child.close();
  }
}
