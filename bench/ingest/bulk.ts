/** Streams an NDJSON file as bulk uploads, in pieces that a server accepts as one request. */
import { open, type FileHandle } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { postHead } from '../http-connection.ts';
import type { Target } from './process.ts';

export interface BulkResult {
  readonly bytes: number;
  readonly accepted: number;
  readonly seconds: number;
}

const UPLOAD = 256 << 20; // bytes per request; a server takes 512 MiB
const CHUNK = 1 << 18;

/** Throws when the server refuses an upload or rejects a line. */
export async function sendBulk(target: Target, path: '/track' | '/identify', file: string): Promise<BulkResult> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const begun = performance.now();
    let accepted = 0;
    for (let from = 0; from < size;) {
      const to = await lineEnd(handle, Math.min(from + UPLOAD, size), size);
      accepted += await upload(target, path, { handle, from, to });
      from = to;
    }
    return { bytes: size, accepted, seconds: (performance.now() - begun) / 1000 };
  } finally {
    await handle.close();
  }
}

/** The first end of a line at or after an offset. */
async function lineEnd(handle: FileHandle, from: number, size: number): Promise<number> {
  const buffer = Buffer.alloc(4096);
  for (let at = from; at < size; at += buffer.length) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    const newline = buffer.subarray(0, bytesRead).indexOf(10);
    if (newline >= 0) return at + newline + 1;
  }
  return size;
}

async function upload(
  target: Target,
  path: string,
  piece: { handle: FileHandle; from: number; to: number },
): Promise<number> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const made = connect(target.port, target.host, () => resolve(made)).once('error', reject);
  });
  const headers = { 'X-API-Key': target.key, 'Content-Type': 'application/x-ndjson', Connection: 'close' };
  const answered = wholeText(socket);
  await written(socket, postHead(path, headers, piece.to - piece.from));
  const chunk = Buffer.alloc(CHUNK);
  for (let at = piece.from; at < piece.to;) {
    const { bytesRead } = await piece.handle.read(chunk, 0, Math.min(CHUNK, piece.to - at), at);
    await written(socket, chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
  const text = await answered;
  const result = /"accepted": *(\d+), *"rejected": *0\b/.exec(text);
  if (!text.startsWith('HTTP/1.1 200') || !result) throw new Error(`an upload was answered ${text}`);
  return Number(result[1]);
}

/** Resolves once the system has the bytes, so that the buffer can be reused. */
function written(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function wholeText(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (data: Buffer) => (text += data.toString('utf8')));
    socket.once('end', () => resolve(text));
    socket.once('error', reject);
  });
}
