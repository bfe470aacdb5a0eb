/** Properties on a command line. */
import { UsageError } from '../command.ts';
import { messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJsonWithDigits } from '../../base/text/read-json.ts';

export type Properties = Readonly<Record<string, unknown>>;

/** `k=v` each; a value is text, everything after the first `=`. The last value of a name counts. Throws UsageError. */
export function textProperties(option: string, pairs: readonly string[]): Properties {
  return Object.fromEntries(pairs.map((pair) => splitPair(option, pair)));
}

/** `--add k=n` each, with a number. Throws UsageError. */
export function numberProperties(pairs: readonly string[]): Properties {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, text] = splitPair('add', pair);
      const number = text.trim() === '' ? Number.NaN : Number(text);
      if (!Number.isFinite(number)) throw new UsageError(`--add ${name} must be a number, as in --add ${name}=1`);
      return [name, number];
    }),
  );
}

/** The JSON object of --prop-json, whose values keep their types; whole numbers beyond 2^53 are texts, as they are stored. Throws UsageError. */
export function jsonProperties(json: string): Properties {
  let value: unknown;
  try {
    value = readJsonWithDigits(json, String);
  } catch (error) {
    throw new UsageError(`--prop-json is not JSON: ${messageOf(error)}`);
  }
  if (!isRecord(value)) throw new UsageError(`--prop-json must be a JSON object, as in '{"amount": 12.5}'`);
  return value;
}

/** Both; the second wins. Not by a spread: any name may be a key, even `__proto__`. */
export function mergedProperties(first: Properties, second: Properties): Properties {
  return Object.fromEntries([...Object.entries(first), ...Object.entries(second)]);
}

function splitPair(option: string, pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`--${option} must be name=value, not ${JSON.stringify(pair)}`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}
