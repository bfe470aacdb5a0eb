/** Scans one event without strings or objects: the hot path of ingest. A primitive does it, on a copy of the bytes in its memory. */
import { memoryAt, primitives, take } from '../../../primitives/memory.ts';
import type { ScannedEvent } from './scanned-event.ts';

/** Bytes copied at a time. An event that is longer than half of it may be left to JSON.parse. */
const WINDOW = 64 << 10;
const window = take(WINDOW);
const copy = memoryAt(window, WINDOW);

/** The bytes [from, to) of the body are in the window. */
let body: Uint8Array | null = null;
let from = 0;
let to = 0;

/**
 * Reads into `out` the event whose JSON begins at `at` (its brace) and ends at or before `end`; returns the offset after its closing
 * brace. -1 if the event is not ordinary (scanned-event.ts) or not JSON: then ignore `out` and let JSON.parse decide. Events accepted
 * here mean the same as with JSON.parse and `normaliseEvent`; a property test compares the two.
 * @param isLine Whether it must be in one line.
 */
export function scanEvent(bytes: Uint8Array, at: number, end: number, out: ScannedEvent, isLine = false): number {
  if (bytes !== body || at < from || at >= to) moveTo(bytes, at);
  const after = scanHere(at, end, out, isLine);
  if (after >= 0 || to >= end || at - from <= WINDOW / 2) return after;
  moveTo(bytes, at); // it may not have been there as a whole
  return scanHere(at, end, out, isLine);
}

function moveTo(bytes: Uint8Array, at: number): void {
  const part = bytes.subarray(at, at + WINDOW);
  copy.set(part);
  body = bytes;
  from = at;
  to = at + part.length;
}

function scanHere(at: number, end: number, out: ScannedEvent, isLine: boolean): number {
  const base = window - from;
  const after = primitives.scanEvent(base + at, base + Math.min(end, to), base, isLine ? 1 : 0, out.record);
  if (after === 0) return -1;
  out.takeRecord(at, (after - base) | 0); // addresses from 2 GiB on are told as negative
  return out.end;
}
