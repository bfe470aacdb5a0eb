/** The values of one group column as a partial sends them. */
import { kept } from '../../base/kept.ts';
import { Lease } from '../../primitives/memory.ts';
import type { Budget } from '../budget.ts';
import type { Axis } from '../groups/axis.ts';
import type { FieldIds } from '../groups/field-ids.ts';
import type { RowContext } from '../query-context.ts';
import { bytesOfText, joinTexts, type GroupKeys, type JoinedTexts } from './metric-partial.ts';
import { threshold } from '../../base/threshold.ts';

/** More texts of one dictionary than this are left to the merge, which knows the wanted ones. A sole part leaves all. */
const MAX_TEXTS = threshold('texts that a part brings along', 1_024);

/** @param buckets The bucket of each group. @param nth Which group of the plan it is. */
export function bucketKeys(buckets: Uint32Array, nth: number, axis: Axis, context: RowContext): GroupKeys {
  const { ids, values } = numbersOf(
    buckets.map((bucket) => bucket + 1),
    axis.count + 1,
    context,
  );
  // Several buckets may have one label: of a part of the calendar, or of a longer unit.
  const places = new Map<string, number>();
  const own = Array.from(values, (value) => kept(places, axis.label(nth, value - 1), () => places.size + 1));
  for (let group = 0; group < ids.length; group++) ids[group] = own[ids[group]! - 1]!;
  const texts = [...places.keys()];
  for (const text of texts) context.budget.take(bytesOfText(text));
  return { ids, texts: joinTexts(texts) };
}

/** @param of The id of each group's value in the field. @param isSole Whether it is the only group of the plan, so that no two have one. */
export function fieldKeys(of: Uint32Array, field: FieldIds, isSole: boolean, context: RowContext): GroupKeys {
  const { ids, values } = isSole ? numbersOfSole(of, context) : numbersOf(of, field.size, context);
  const { dictionary } = field;
  const codes = dictionary === null ? {} : { dictionary: { key: dictionary, codes: values } };
  if (dictionary !== null && leavesTexts(dictionary, values.length, context)) return { ids, texts: null, ...codes };
  return { ids, texts: textsOf(values, (id) => field.text(id) ?? '', context.budget), ...codes };
}

function leavesTexts(dictionary: string, count: number, { elsewhere, sharedDictionary }: RowContext): boolean {
  return (elsewhere.length === 0 || count > MAX_TEXTS.value) && sharedDictionary(dictionary) !== null;
}

/** The values that groups have, and for each group the index of its own among them, from 1; 0 for value 0, which is missing. */
function numbersOf(of: Uint32Array, count: number, { memory }: Pick<RowContext, 'memory'>): Numbers {
  using lease = new Lease(); // the heap's memory is cleared, page by page, each time
  const known = lease.noWords(count);
  const [ids, values] = [memory.words(of.length).fill(0), memory.words(of.length)];
  let length = 0;
  for (let group = 0; group < of.length; group++) {
    const value = of[group]!;
    if (value === 0) continue;
    if (known[value] === 0) {
      values[length] = value;
      known[value] = ++length;
    }
    ids[group] = known[value]!;
  }
  return { ids, values: values.subarray(0, length) };
}

interface Numbers {
  readonly ids: Uint32Array;
  readonly values: Uint32Array;
}

/** The same where no two groups have one value: nothing is looked up in a table of all values, which waits for memory. */
function numbersOfSole(of: Uint32Array, { memory }: Pick<RowContext, 'memory'>): Numbers {
  const [ids, values] = [memory.words(of.length).fill(0), memory.words(of.length)];
  let length = 0;
  for (let group = 0; group < of.length; group++) {
    if (of[group] === 0) continue;
    values[length] = of[group]!;
    ids[group] = ++length;
  }
  return { ids, values: values.subarray(0, length) };
}

function textsOf(values: Uint32Array, textOf: (value: number) => string, budget: Budget): JoinedTexts {
  const texts = Array.from(values, (value) => {
    const text = textOf(value);
    budget.take(bytesOfText(text));
    return text;
  });
  return joinTexts(texts);
}
