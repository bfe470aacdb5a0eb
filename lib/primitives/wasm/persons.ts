/** The persons of rows, and state by person. Person 0 is nobody: nobody reads what is written for it. */

export function ownPersons(bound: usize, known: u32, count: u32, out: usize): void {
  for (let code: u32 = 0; code < count; code++) {
    const person = code < known ? load<u32>(bound + code * 4) : 0;
    store<u32>(out + code * 4, person == 0 ? code : person);
  }
}

export function preferWords(words: usize, count: u32, out: usize): void {
  const none = i32x4.splat(0);
  for (const end = out + count * 4; out < end; words += 16, out += 16) {
    const own = v128.load(words);
    v128.store(out, v128.bitselect(v128.load(out), own, i32x4.eq(own, none)));
  }
}

export function markPersons(persons: usize, count: u32, bit: u32, masks: usize, size: u32): void {
  if (size == 2) mark<u16>(persons, count, bit, masks);
  else mark<u32>(persons, count, bit, masks);
}

function mark<T>(persons: usize, count: u32, bit: u32, masks: usize): void {
  for (const end = persons + count * 4; persons < end; persons += 4) {
    const at = masks + load<u32>(persons) * sizeof<T>();
    store<T>(at, <T>((<u32>load<T>(at)) | bit));
  }
}

export function earliestCohorts(persons: usize, count: u32, cohort: u32, cohorts: usize, size: u32): void {
  if (size == 1) putEarliest<u8>(persons, count, cohort, cohorts);
  else putEarliest<u32>(persons, count, cohort, cohorts);
}

function putEarliest<T>(persons: usize, count: u32, cohort: u32, cohorts: usize): void {
  for (const end = persons + count * 4; persons < end; persons += 4) {
    const at = cohorts + load<u32>(persons) * sizeof<T>();
    const known: u32 = <u32>load<T>(at);
    if (known == 0 || known > cohort) store<T>(at, <T>cohort);
  }
}

export function earlierStarts(
  persons: usize,
  times: usize,
  arrivals: usize,
  count: u32,
  cohort: u32,
  cohorts: usize,
  size: u32,
  firstTimes: usize,
  firstArrivals: usize,
  out: usize,
): u32 {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    const person = load<u32>(persons + i * 4);
    const time = load<f64>(times + i * 8);
    const arrival = load<f64>(arrivals + i * 8);
    const before = load<f64>(firstTimes + person * 8);
    const isLater = time > before || (time == before && arrival >= load<f64>(firstArrivals + person * 8));
    if (isLater && cohortOf(cohorts, size, person) != 0) continue;
    if (size == 1) store<u8>(cohorts + person, <u8>cohort);
    else store<u32>(cohorts + person * 4, cohort);
    store<f64>(firstTimes + person * 8, time);
    store<f64>(firstArrivals + person * 8, arrival);
    store<u32>(to, i);
    to += 4;
  }
  return <u32>((to - out) >> 2);
}

function cohortOf(cohorts: usize, size: u32, person: u32): u32 {
  return size == 1 ? <u32>load<u8>(cohorts + person) : load<u32>(cohorts + person * 4);
}

export function markPeriods(
  persons: usize,
  count: u32,
  bucket: u32,
  cohorts: usize,
  size: u32,
  most: u32,
  masks: usize,
): void {
  const end = persons + count * 4;
  for (; persons < end; persons += 4) {
    const person = load<u32>(persons);
    const cohort = cohortOf(cohorts, size, person);
    const period = bucket - cohort;
    if (cohort == 0 || period > most) continue;
    const at = masks + person * 4;
    store<u32>(at, load<u32>(at) | (1 << period));
  }
}

export function notBefore(
  persons: usize,
  times: usize,
  arrivals: usize,
  count: u32,
  firstTimes: usize,
  firstArrivals: usize,
  out: usize,
): void {
  for (let i: u32 = 0; i < count; i++) {
    const person = load<u32>(persons + i * 4);
    const time = load<f64>(times + i * 8);
    const first = load<f64>(firstTimes + person * 8);
    const isAfter =
      time > first || (time == first && load<f64>(arrivals + i * 8) >= load<f64>(firstArrivals + person * 8));
    store<u32>(out + i * 4, isAfter ? person : 0);
  }
}

export function countReturns(persons: usize, count: u32, bucket: u32, last: usize, states: usize): void {
  const end = persons + count * 4;
  let fresh: u32 = 0;
  let returning: u32 = 0;
  let back: u32 = 0;
  for (; persons < end; persons += 4) {
    const person = load<u32>(persons);
    const at = last + person * 4;
    const was = load<u32>(at);
    if (was == bucket || person == 0) continue;
    store<u32>(at, bucket);
    if (was == 0) fresh++;
    else if (was == bucket - 1) returning++;
    else back++;
  }
  store<u32>(states, load<u32>(states) + fresh);
  store<u32>(states, load<u32>(states, 4) + returning, 4);
  store<u32>(states, load<u32>(states, 8) + back, 8);
}

export function countBuckets(persons: usize, count: u32, bucket: u32, last: usize, counts: usize): void {
  const end = persons + count * 4;
  for (; persons < end; persons += 4) {
    const at = load<u32>(persons) * 4;
    if (load<u32>(last + at) == bucket) continue;
    store<u32>(last + at, bucket);
    store<u32>(counts + at, load<u32>(counts + at) + 1);
  }
}
