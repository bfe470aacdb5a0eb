/** Entry of a writer thread: processes messages in groups, so that one disk sync serves many requests. */
import { monotonic } from '../../base/monotonic.ts';
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { loadSqlite } from '../file/shard-file.ts';
import { sharedDatabase } from '../ingest/enrich/geo.ts';
import { Storer } from '../storer.ts';
import type { AppendsMessage, WriterOptions, WriterMessage, WriterReply } from '../writer-messages.ts';
import { IdleRhythm } from './idle-rhythm.ts';
import { bodyAt, lendRoom } from './lent-room.ts';
import { WriterTurns } from './writer-turns.ts';
import { Writer } from './writer.ts';

/** Limits of one group, in bytes of bodies and milliseconds; between groups the thread learns of finished syncs. */
const GROUP_BYTES = 1 << 20;
const GROUP_TIME = 4;
/** The same while the disk syncs the requests before: their senders wait for no more than this. Milliseconds. */
const SYNC_TIME = 0.2;
const TICK = 1000; // milliseconds
/** Interval of the search for usage that an earlier run did not report. Milliseconds. */
const LATE_EVERY = 50;

const port = parentPort;
if (!port) throw new Error('the writer runs in a thread of the server');

const say = (reply: WriterReply): void => port.postMessage(reply);
const data = optionsWhenTold(port);
if (data === null) process.exit();
const options = data.geoipFile === null ? data : { ...data, geoip: sharedDatabase(data.geoipFile) };
say({ op: 'room', room: lendRoom() });
loadSqlite();
const turns = new WriterTurns();
let scheduled = false;
const rhythm = new IdleRhythm(performance.now());
const writer = new Writer(options, {
  post: say,
  again: (messages, as) => {
    turns.again(messages, as);
    schedule();
  },
  storing: new Storer(options),
  more: () => {
    receive();
    if (turns.size > 0) schedule(); // the thread is not told again of what it has received
    return turns.size > 0;
  },
});

port.on('message', (message: WriterMessage | AppendsMessage) => {
  push(message);
  if (!scheduled) work();
});

/** Waits for the first message (writer-start.ts). */
function optionsWhenTold(from: MessagePort): WriterOptions | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what WriterThread starts the thread with
  Atomics.wait(workerData as Int32Array, 0, 0);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what WriterThread sends first
  return (receiveMessageOnPort(from) as { message: WriterOptions | null }).message;
}

function work(): void {
  scheduled = false;
  writer.process(group());
  if (turns.size > 0) schedule();
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(work);
}

/** Messages that arrive meanwhile join the same group. */
function* group(): Generator<WriterMessage> {
  const begun = performance.now();
  for (
    let bytes = 0;
    bytes < GROUP_BYTES && performance.now() < begun + (writer.commits.isSyncing ? SYNC_TIME : GROUP_TIME);
  ) {
    receive();
    const next = turns.shift();
    if (next === undefined) return;
    if (next.op === 'close') stopClocks();
    bytes += sizeOf(next);
    yield next;
  }
}

function receive(): void {
  for (;;) {
    const next = receiveMessageOnPort(port!) as { message: WriterMessage | AppendsMessage } | undefined;
    if (next === undefined) return;
    push(next.message);
  }
}

function push(message: WriterMessage | AppendsMessage): void {
  rhythm.message(performance.now());
  if (message.op !== 'appends') return turns.push(message);
  for (const { body, ...append } of message.appends)
    turns.push({ ...append, body: body instanceof Uint8Array ? body : bodyAt(body) });
  for (const stream of message.ended) writer.streams.end(stream);
}

let round: ReturnType<Writer['housekeeping']> | null = null;
const ticking = setInterval(() => {
  if (round === null) keepHouse((round = writer.housekeeping(monotonic(), rhythm.isQuiet(performance.now()))));
}, TICK);
const telling = setInterval(() => {
  if (rhythm.allows(performance.now()) && !writer.usageReport.late()) clearInterval(telling);
}, LATE_EVERY);
let takingUp = setTimeout(takeUp, rhythm.pause(null, performance.now()));

function takeUp(): void {
  const left = rhythm.allows(performance.now()) ? writer.takingUp.idle() : null;
  takingUp = setTimeout(takeUp, rhythm.pause(left, performance.now()));
}

/** Between two steps messages are processed. */
function keepHouse(begun: typeof round): void {
  if (round === null || round !== begun) return;
  if (round.next().done === true) round = null;
  else setImmediate(keepHouse, begun);
}

function stopClocks(): void {
  round = null;
  for (const clock of [ticking, telling]) clearInterval(clock);
  clearTimeout(takingUp);
}

const sizeOf = (message: WriterMessage): number => (message.op === 'append' ? message.body.byteLength : 0);
