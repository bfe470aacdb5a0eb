/**
 * Processor time to read events into pending rows, without network and disk: microseconds an event, round by round.
 *
 *   node dist/bench/micro/take.js events.ndjson [rounds]
 */
import { readFileSync } from 'node:fs';
import { ShardWriter } from '../../lib/shards/writer/shard-writer.ts';
import { RequestReader } from '../../lib/shards/writer/request-steps.ts';

/** Bytes of a piece, and rows that are sealed together. */
const PIECE = 1 << 20;
const SEAL_ROWS = 262_144;
const HEAD = {
  context: { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null },
  project: { id: 'prj_1', retentionDays: null, ipPolicy: 'full' },
} as const;

const [file, rounds = '5'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node dist/bench/micro/take.js events.ndjson [rounds]');
  process.exit(1);
}
const pieces = [...piecesOf(readFileSync(file))];
for (let round = 0; round < Number(rounds); round++) {
  const before = process.cpuUsage();
  const events = takeAll();
  const { user, system } = process.cpuUsage(before);
  console.log(`${((user + system) / events).toFixed(2)} µs an event, of ${events}`);
}

function takeAll(): number {
  const reader = new RequestReader({ batchLimit: 1, lineLimit: PIECE, geoipFile: null });
  const shard = new ShardWriter(
    'prj_1',
    { read: noFile, write: noFile },
    { stored: false, dictionaryBytes: 256 << 20 },
  );
  let events = 0;
  for (const piece of pieces) {
    const scope = reader.scope(HEAD);
    const steps = reader.deduplicated('track_lines', piece, shard, scope);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    events += step.value.accepted;
    if (shard.fresh.rows < SEAL_ROWS) continue;
    shard.batch();
    shard.sealed({ segment: null, textRuns: [] });
  }
  return events;
}

function noFile(): never {
  throw new Error('the shard has no file');
}

/** Copies of whole lines. */
function* piecesOf(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0, end: number; at < bytes.length; at = end) {
    const newline = bytes.lastIndexOf(10, at + PIECE);
    end = at + PIECE >= bytes.length || newline < at ? bytes.length : newline + 1;
    yield new Uint8Array(bytes.subarray(at, end));
  }
}
