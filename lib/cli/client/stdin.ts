import { fstatSync, readSync } from 'node:fs';
import { ClientError } from './client-error.ts';
import { messageOf } from '../../base/errors.ts';

/** All of stdin as text. Throws ClientError if it is larger than `limit` bytes or cannot be read. */
export async function readStdin(limit: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdinChunks(signal)) {
    size += chunk.length;
    if (size > limit) throw new ClientError(`stdin has more than ${limit.toLocaleString('en')} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/**
 * Chunks of stdin, each to be used before the next is asked for: those of a file share one buffer, since a stream would make a
 * new one for every 64 KiB. Rejects as `stdinChunks` does.
 */
export async function* passingChunks(signal: AbortSignal): AsyncGenerator<Buffer> {
  if (!fstatSync(0).isFile()) {
    yield* stdinChunks(signal);
    return;
  }
  const buffer = Buffer.allocUnsafeSlow(524_288); // bytes
  for (;;) {
    signal.throwIfAborted();
    const size = readFile(buffer);
    if (size === 0) return;
    yield buffer.subarray(0, size);
  }
}

function readFile(into: Buffer): number {
  try {
    return readSync(0, into);
  } catch (error) {
    throw unreadable(error);
  }
}

/** Chunks of stdin. Rejects with the signal's reason if it is aborted. */
export async function* stdinChunks(signal: AbortSignal): AsyncGenerator<Buffer> {
  if (fstatSync(0).isDirectory()) throw new ClientError('stdin is a folder, not a file.'); // Node would see it as empty
  const stop = (): void => void process.stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const chunks: AsyncIterable<Buffer> = process.stdin;
  try {
    signal.throwIfAborted();
    yield* chunks;
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function unreadable(error: unknown): ClientError {
  return new ClientError(`Cannot read stdin: ${messageOf(error)}`);
}
