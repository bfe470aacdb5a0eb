/**
 * How fast a thread reads events: the scanner beside JSON.parse of the same lines.
 *
 *   node dist/bench/micro/scan.js events.ndjson [rounds]
 */
import { readFileSync } from 'node:fs';
import { scanEvent } from '../../lib/shards/ingest/scan/scan-event.ts';
import { ScannedEvent } from '../../lib/shards/ingest/scan/scanned-event.ts';

const [file, rounds = '5'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node dist/bench/micro/scan.js events.ndjson [rounds]');
  process.exit(1);
}
const bytes = new Uint8Array(readFileSync(file));
const text = new TextDecoder().decode(bytes);
for (let round = 0; round < Number(rounds); round++) {
  measure('scan', scanAll);
  measure('JSON.parse', parseAll);
}

function measure(name: string, run: () => { events: number; slow: number }): void {
  const begun = performance.now();
  const { events, slow } = run();
  const seconds = (performance.now() - begun) / 1000;
  console.log(`${name.padEnd(12)} ${(events / seconds / 1e6).toFixed(2)} M events/s, ${slow} of ${events} slow`);
}

function scanAll(): { events: number; slow: number } {
  const event = new ScannedEvent();
  let events = 0;
  let slow = 0;
  for (let at = 0; at < bytes.length; events++) {
    let after = scanEvent(bytes, at, bytes.length, event);
    if (after < 0) {
      slow++;
      after = bytes.indexOf(0x0a, at);
      if (after < 0) after = bytes.length;
    }
    at = after + 1;
  }
  return { events, slow };
}

/** What a reader without a scanner does: a string per line, an object per string. */
function parseAll(): { events: number; slow: number } {
  let events = 0;
  for (let at = 0; at < text.length; events++) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    JSON.parse(text.slice(at, end));
    at = end + 1;
  }
  return { events, slow: 0 };
}
