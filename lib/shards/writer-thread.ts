/** Entry of a writer thread: takes what has arrived in groups, so that one sync of the disk serves many requests. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { WriterMessage, WriterOptions, WriterReply } from './writer-messages.ts';
import { Writer } from './writer.ts';

/** Bodies that one group takes; more wait for the next, so that the first are not kept waiting. */
const GROUP_BYTES = 4 << 20;
const TICK = 1000; // milliseconds

const port = parentPort;
if (!port) throw new Error('the writer runs in a thread of the server');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what WriterClient starts the thread with
const options = workerData as WriterOptions;
const writer = new Writer(options, (reply: WriterReply) => port.postMessage(reply));

port.on('message', (first: WriterMessage) => {
  const group = [first];
  for (let bytes = sizeOf(first); bytes < GROUP_BYTES;) {
    const next = receiveMessageOnPort(port) as { message: WriterMessage } | undefined;
    if (!next) break;
    group.push(next.message);
    bytes += sizeOf(next.message);
  }
  writer.process(group);
  if (group.some((message) => message.op === 'close')) {
    clearInterval(ticking);
    port.close();
  }
});

const ticking = setInterval(() => writer.tick(Date.now()), TICK);

const sizeOf = (message: WriterMessage): number => (message.op === 'append' ? message.body.byteLength : 0);
