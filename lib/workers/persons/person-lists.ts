/**
 * State of persons on its way to another thread: a list of those who have any, ascending, and theirs in the same order. Of a project's
 * persons few may be in a range: to copy three words for each of 7.5 million took three quarters of `stickiness` over a quarter.
 */
import { codeSize } from '../../primitives/columns.ts';
import { Lease, primitives } from '../../primitives/memory.ts';
import { usedPlaces, type StateOwner } from '../metrics/state-array.ts';

/**
 * The persons for whom one of some arrays in the memory has another value than 0; several are of words. Nobody (0) is no person, and
 * whatever stands there may be lost.
 */
export function personsWith(
  arrays: readonly (Uint8Array | Uint16Array | Uint32Array)[],
  { memory, budget }: StateOwner,
): Uint32Array {
  const count = arrays[0]!.length;
  const room = count * (4 + 4); // what is used, and the list at its longest
  budget.take(room);
  using lease = new Lease();
  const used = usedOf(arrays, lease);
  used[0] = 0;
  const persons = usedPlaces(used, memory);
  budget.release(room - persons.byteLength);
  return persons;
}

/** By person: 0 if all arrays have 0. */
function usedOf([first, ...others]: readonly (Uint8Array | Uint16Array | Uint32Array)[], lease: Lease): Uint32Array {
  if (first instanceof Uint32Array && others.length === 0) return first;
  const used = lease.noWords(first!.length);
  primitives.addCodes(first!.byteOffset, codeSize(first!), first!.length, used.byteOffset);
  for (const other of others) primitives.orMasks(used.byteOffset, other.byteOffset, other.byteLength);
  return used;
}

/** The persons of some lists, each once, and by list where its persons are among them. */
export interface JoinedPersons {
  readonly persons: Uint32Array;
  readonly places: readonly Uint32Array[];
}

export function joinPersons(lists: readonly Uint32Array[], owner: StateOwner): JoinedPersons {
  const persons = lists.reduce((all, list) => eitherOf(all, list, owner));
  return { persons, places: lists.map((list) => placesIn(persons, list, owner)) };
}

function eitherOf(some: Uint32Array, others: Uint32Array, { memory, budget }: StateOwner): Uint32Array {
  budget.take(some.byteLength + others.byteLength);
  const all = memory.words(some.length + others.length);
  let [count, i, k] = [0, 0, 0];
  while (i < some.length && k < others.length) {
    const [one, other] = [some[i]!, others[k]!];
    all[count++] = one < other ? one : other;
    if (one <= other) i++;
    if (other <= one) k++;
  }
  all.set(some.subarray(i), count);
  all.set(others.subarray(k), count + some.length - i);
  return all.subarray(0, count + (some.length - i) + (others.length - k));
}

function placesIn(all: Uint32Array, list: Uint32Array, { memory, budget }: StateOwner): Uint32Array {
  budget.take(list.byteLength);
  const places = memory.words(list.length);
  let at = 0;
  for (let i = 0; i < list.length; i++) {
    const person = list[i]!;
    while (all[at] !== person) at++;
    places[i] = at;
  }
  return places;
}
