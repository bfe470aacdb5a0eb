/**
 * Preloaded into a server (NODE_OPTIONS=--import=…), in all its threads: faults of disk, machine and clock. Journal files go
 * through a layer that fails them, writes less than requested, or keeps writes in memory until they are synced, so that a kill
 * loses them as a power cut does (parts may reach the disk earlier). SQLite files do not go through it.
 */
import fs from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
import { pick, randomOf } from './random.ts';

export const FAULTS = ['none', 'lost_sync', 'eio', 'enospc', 'short_write', 'emfile', 'dead_thread', 'clock'] as const;
export type Fault = (typeof FAULTS)[number];

/** The environment of a server with a fault. */
export function faultFrom(fault: Fault, seed: number): Record<string, string> {
  const [mine] = import.meta.url.split('?');
  return { NODE_OPTIONS: `--import=${mine ?? ''}`, WINDLASS_CHAOS_FAULT: fault, WINDLASS_CHAOS_SEED: String(seed) };
}

interface Written {
  readonly at: number;
  readonly bytes: Buffer;
}

const random = randomOf(Number(process.env['WINDLASS_CHAOS_SEED'] ?? 0) + threadId * 7919);
/** Unsynced writes of open journal files. */
const unsynced = new Map<number, Written[]>();
const real = { ...fs };

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: made by the fault campaign`), { code });
}

function install(fault: Fault): void {
  const sometimes = (share: number): boolean => random() < share;
  fs.openSync = ((...args: Parameters<typeof fs.openSync>): number => {
    if (fault === 'emfile' && /\/journal\//.test(String(args[0])) && sometimes(0.1)) throw failure('EMFILE');
    const fd = real.openSync(...args);
    if (/\/journal\/w[^/]*\.log$/.test(String(args[0])) && args[1] !== 'r') unsynced.set(fd, []);
    return fd;
  }) satisfies typeof fs.openSync;
  fs.closeSync = (fd) => {
    unsynced.delete(fd);
    real.closeSync(fd);
  };
  fs.writevSync = (fd, buffers, position) => write(fd, Buffer.concat(buffers.map(bytesOf)), position ?? 0);
  fs.writeSync = ((fd: number, buffer: NodeJS.ArrayBufferView, offset: number, length: number, position: number) =>
    write(fd, bytesOf(buffer).subarray(offset, offset + length), position)) as typeof fs.writeSync;
  fs.ftruncateSync = (fd, length) => {
    const writes = unsynced.get(fd);
    if (writes)
      unsynced.set(
        fd,
        writes.filter(({ at }) => at < (length ?? 0)),
      );
    real.ftruncateSync(fd, length);
  };
  fs.fdatasyncSync = (fd) => {
    if (unsynced.has(fd) && (fault === 'eio' || fault === 'lost_sync') && sometimes(0.01)) throw failure('EIO');
    flush(fd);
    real.fdatasyncSync(fd);
  };
  fs.fdatasync = ((fd: number, done: (error: Error | null) => void) => {
    try {
      fs.fdatasyncSync(fd);
      setImmediate(done, null);
    } catch (error) {
      setImmediate(done, error as Error);
    }
  }) as typeof fs.fdatasync;

  function write(fd: number, bytes: Buffer, position: number): number {
    const writes = unsynced.get(fd);
    if (!writes) return real.writeSync(fd, bytes, 0, bytes.length, position);
    if (fault === 'eio' && sometimes(0.02)) throw failure('EIO');
    const part = Math.floor(random() * bytes.length);
    if (fault === 'enospc' && sometimes(0.05)) {
      real.writeSync(fd, bytes, 0, part, position);
      throw failure('ENOSPC');
    }
    if (fault === 'short_write' && part > 0 && sometimes(0.3)) return real.writeSync(fd, bytes, 0, part, position);
    if (fault !== 'lost_sync') return real.writeSync(fd, bytes, 0, bytes.length, position);
    writes.push({ at: position, bytes: Buffer.from(bytes) });
    // Some pages reach the disk before the sync, in any order.
    if (sometimes(0.2)) real.writeSync(fd, bytes, part, bytes.length - part, position + part);
    return bytes.length;
  }
}

function flush(fd: number): void {
  for (const { at, bytes } of unsynced.get(fd) ?? []) real.writeSync(fd, bytes, 0, bytes.length, at);
  if (unsynced.has(fd)) unsynced.set(fd, []);
}

const bytesOf = (view: NodeJS.ArrayBufferView): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

/** Sets the clock by up to an hour, forwards and back, while the server runs; threads see it at different times. */
function jumpClock(): void {
  const now = Date.now.bind(Date);
  let shift = 0;
  Date.now = () => now() + shift;
  setInterval(() => (shift = pick(random, [-3_600_000, -60_000, 0, 60_000, 3_600_000])), 100).unref();
}

function die(): void {
  setTimeout(
    () => {
      throw new Error('a thread that the fault campaign ends');
    },
    200 + random() * 2_000,
  ).unref();
}

const fault = FAULTS.find((name) => name === process.env['WINDLASS_CHAOS_FAULT']);
if (fault !== undefined && fault !== 'none') install(fault);
if (fault === 'clock') jumpClock();
if (fault === 'dead_thread' && !isMainThread) die();
