/** Raw rows → the rows of a segment. */
import { mix } from './mix';

export function inOrder(times: usize, arrivals: usize, count: u32, run: usize, late: usize): u32 {
  let inRun: u32 = 0;
  let time: f64 = -Infinity;
  let arrival: f64 = -Infinity;
  for (let row: u32 = 0; row < count; row++) {
    const itsTime = load<f64>(times + row * 8);
    const itsArrival = load<f64>(arrivals + row * 8);
    if (itsTime > time || (itsTime == time && itsArrival > arrival)) {
      store<u32>(run + inRun * 4, row);
      inRun++;
      time = itsTime;
      arrival = itsArrival;
    } else {
      store<u32>(late, row);
      late += 4;
    }
  }
  return inRun;
}

export function placeValues(rows: usize, count: u32, ranks: usize, out: usize): u32 {
  let placed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const rank = load<u32>(ranks + load<u32>(rows + i * 4) * 4);
    if (rank == 0) continue;
    store<u32>(out + (rank - 1) * 4, i + 1);
    placed++;
  }
  return placed;
}

export function numberTriples(
  users: usize,
  devices: usize,
  sessions: usize,
  count: u32,
  slots: usize,
  size: u32,
  firsts: usize,
  out: usize,
): u32 {
  let triples: u32 = 0;
  for (let row: u32 = 0; row < count; row++) {
    const user = load<u32>(users + row * 4);
    const device = load<u32>(devices + row * 4);
    const session = load<u32>(sessions + row * 4);
    let slot = mix(session ^ mix(device ^ mix(user))) & (size - 1);
    for (; ; slot = (slot + 1) & (size - 1)) {
      const triple = load<u32>(slots + slot * 4); // + 1
      if (triple == 0) {
        store<u32>(firsts + triples * 4, row);
        triples++;
        store<u32>(slots + slot * 4, triples);
        break;
      }
      const first = load<u32>(firsts + (triple - 1) * 4) * 4;
      if (
        load<u32>(sessions + first) == session &&
        load<u32>(devices + first) == device &&
        load<u32>(users + first) == user
      )
        break;
    }
    store<u32>(out + row * 4, load<u32>(slots + slot * 4) - 1);
  }
  return triples;
}

export function pickUnlike(codes: usize, count: u32, table: usize, triples: usize, most: u32, out: usize): u32 {
  let unlike: u32 = 0;
  for (let row: u32 = 0; row < count; row++) {
    if (load<u32>(codes + row * 4) == load<u32>(table + load<u32>(triples + row * 4) * 4)) continue;
    if (unlike == most) return most + 1;
    store<u32>(out + unlike * 4, row);
    unlike++;
  }
  return unlike;
}
