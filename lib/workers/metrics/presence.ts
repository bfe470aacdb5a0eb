/** Which slots have rows, when nobody asks how many: what a whole column contains is known after one look. */
import { largestOf, sizeOf } from '../../primitives/columns.ts';
import { addressOf, give, primitives, Room, take, wordsAt } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import type { CodeArray } from '../rows/field-column.ts';
import { CountAccumulator } from './count.ts';

export class PresenceAccumulator extends CountAccumulator {
  override add(scan: Scan, slots: Slots): void {
    const { filter, positions, rows } = scan;
    const [span] = positions.spans;
    const [part] = scan.slots;
    const isWhole = positions.rows === null && span?.from === 0 && span.to === rows.rows;
    if (!isWhole || part === undefined || scan.slots.length > 1 || filter.kind !== 'constant' || filter.value === 0) {
      super.add(scan, slots);
      return;
    }
    const base = slots.base(span.bucket);
    for (const code of codesIn(part.codes)) this.addTo(base + (part.table === null ? code : part.table[code]!), 1);
  }
}

const known = new WeakMap<CodeArray, Uint32Array>();

/** The codes that some row has. Columns do not change, so it is cached with the array. */
function codesIn(codes: CodeArray): Uint32Array {
  let found = known.get(codes);
  if (found === undefined) {
    const end = largestOf(codes) + 1;
    const counts = take(end * 4);
    const rows = wordsAt(counts, end).fill(0);
    primitives.countCodes(addressOf(codes, room), sizeOf(codes), codes.length, counts, 0);
    found = Uint32Array.from(rows.keys().filter((code) => rows[code]! > 0));
    give(counts);
    known.set(codes, found);
  }
  return found;
}

const room = new Room();
