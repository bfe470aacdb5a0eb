/** Entry of a writer thread: processes messages in groups, so that one disk sync serves many requests. */
import { monotonic } from '../../base/monotonic.ts';
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { loadSqlite } from '../file/shard-file.ts';
import { sharedDatabase } from '../ingest/enrich/geo.ts';
import { Storer } from '../storer.ts';
import type { AppendsMessage, WriterOptions, WriterMessage, WriterReply } from '../writer-messages.ts';
import { Writer } from './writer.ts';

/**
 * A group goes to disk after so long although more has arrived: its senders can make their next requests while the rest is read;
 * otherwise all would wait for the whole, and then the writer for all of them. And the thread learns of finished syncs. Milliseconds.
 */
const GROUP_TIME = 0.3;
/** No requests come if none has for so long. Milliseconds. */
const QUIET = 200;
/**
 * Pause before more usage is reported that an earlier run did not report, and another project replayed that nobody asks for: while requests come, since each takes some milliseconds of this
 * thread and ten of another, and of the disk; and once none come, or when the journal needs its room. Milliseconds.
 */
const REPLAY_EVERY = 120;
const REPLAY_SOON = 2;

const port = parentPort;
if (!port) throw new Error('the writer runs in a thread of the server');

const say = (reply: WriterReply): void => port.postMessage(reply);
const data = optionsWhenTold(port);
if (data === null) process.exit();
const options = data.geoipFile === null ? data : { ...data, geoip: sharedDatabase(data.geoipFile) };
loadSqlite();
let scheduled = false;
let lastMessage = performance.now();
const writer = new Writer(options, {
  post: say,
  wake: schedule,
  storing: new Storer(options),
  more: () => {
    receive();
    if (writer.isReady) schedule(); // the thread is not told again of what it has received
    return writer.isReady;
  },
});

port.on('message', (message: WriterMessage | AppendsMessage) => {
  const isScheduled = scheduled;
  scheduled = true; // not another time: it is worked on at once
  push(message);
  scheduled = isScheduled;
  if (!scheduled) work();
});

/** Waits for the first message (`WriterThread`). */
function optionsWhenTold(from: MessagePort): WriterOptions | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what WriterThread starts the thread with
  Atomics.wait(workerData as Int32Array, 0, 0);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what WriterThread sends first
  return (receiveMessageOnPort(from) as { message: WriterOptions | null }).message;
}

function work(): void {
  scheduled = false;
  const until = performance.now() + GROUP_TIME;
  // Messages that arrive meanwhile join the same group.
  writer.work(() => {
    receive();
    return performance.now() < until;
  });
  if (writer.isReady) schedule();
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(work);
}

function receive(): void {
  for (;;) {
    const next = receiveMessageOnPort(port!) as { message: WriterMessage | AppendsMessage } | undefined;
    if (next === undefined) return;
    push(next.message);
  }
}

function push(message: WriterMessage | AppendsMessage): void {
  lastMessage = performance.now();
  if (message.op === 'close') stopClocks();
  if (message.op !== 'appends') return writer.deliver(message);
  for (const append of message.appends) writer.deliver(append);
  for (const stream of message.ended) writer.streams.end(stream);
}

const isQuiet = (): boolean => performance.now() > lastMessage + QUIET;

let round: ReturnType<Writer['housekeeping']> | null = null;
const ticking = setInterval(() => {
  if (round === null) keepHouse((round = writer.housekeeping(monotonic(), isQuiet())));
}, 1_000);
let catching = setTimeout(catchUp, REPLAY_EVERY);

/** Continues what an earlier run has left. */
function catchUp(): void {
  const isUsageLeft = writer.usageReport.late();
  const isAnyLeft = writer.loading.replayNext() || isUsageLeft;
  catching = setTimeout(catchUp, isAnyLeft && (isQuiet() || writer.loading.isPressed) ? REPLAY_SOON : REPLAY_EVERY);
}

/** Between two steps messages are processed. */
function keepHouse(begun: typeof round): void {
  if (round === null || round !== begun) return;
  if (round.next().done === true) round = null;
  else setImmediate(keepHouse, begun);
}

function stopClocks(): void {
  round = null;
  clearInterval(ticking);
  clearTimeout(catching);
}
