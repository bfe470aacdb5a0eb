/** What is wrong with the head of a project file: its checksum says that nothing changed on the way, not who wrote it. */
import { isRecord } from '../base/is-record.ts';
import { isKeyShaped } from '../control/key-text.ts';
import { MAX_DASHBOARDS, MAX_VERSIONS } from '../control/projects/dashboards.ts';
import { MOST_PERSONAL } from '../control/projects/projects.ts';
import { MAX_TOKENS } from '../control/projects/tokens.ts';
import { SCOPES } from '../control/types.ts';
import { readJson } from '../base/text/read-json.ts';

/** Returns the path of the first wrong part within the value, '' for itself; null if it is right. */
type Check = (value: unknown) => string | null;

/** The path of a part that is not as an export writes it; null if all are. Other parts than these are not read. */
export function headProblem(head: unknown): string | null {
  return HEAD(head);
}

/** As large as a name or an address may be; other texts are bounded by the head. */
const MOST_CHARACTERS = 1_000;

const is =
  (test: (value: unknown) => boolean): Check =>
  (value) =>
    test(value) ? null : '';

/** PostgreSQL takes no text with a zero. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

const text = is(isText);
const shortText = is((value) => isText(value) && value.length <= MOST_CHARACTERS);
const id = is((value) => isText(value) && /^[\w-]{1,64}$/.test(value));
const whole = is((value) => isWhole(value) && value >= 0);
const key = (prefix: string): Check => is((value) => isText(value) && value.startsWith(prefix) && isKeyShaped(value));

function record(parts: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (!isRecord(value)) return '';
    for (const [name, check] of Object.entries(parts)) {
      const wrong = check(value[name]);
      if (wrong !== null) return wrong === '' ? name : `${name}.${wrong}`;
    }
    return null;
  };
}

function list(most: number, item: Check): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length > most) return '';
    for (const [nth, each] of value.entries()) {
      const wrong = item(each);
      if (wrong !== null) return wrong === '' ? `${nth}` : `${nth}.${wrong}`;
    }
    return null;
  };
}

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value);

/** What exports of earlier releases lack. */
const orMissing =
  (check: Check): Check =>
  (value) =>
    value === undefined ? null : check(value);

/** The first that finds something. */
const all =
  (...checks: readonly Check[]): Check =>
  (value) => {
    for (const check of checks) {
      const wrong = check(value);
      if (wrong !== null) return wrong;
    }
    return null;
  };

/** Answers have it as it stands. */
const jsonObject = is((value) => {
  if (!isText(value)) return false;
  try {
    return isRecord(readJson(value));
  } catch {
    return false;
  }
});

const version = record({ version: whole, yaml: text, checked: jsonObject, at: whole, by: shortText });

const dashboard = all(
  record({ id, title: shortText, place: orNull(is(isWhole)), version: whole, versions: list(MAX_VERSIONS, version) }),
  // The newest is the last; numbers ascend.
  is((value) => {
    if (!isRecord(value) || !Array.isArray(value['versions'])) return false;
    const numbers = value['versions'].map((each) => (isRecord(each) ? each['version'] : null)).filter(isWhole);
    return numbers.at(-1) === value['version'] && numbers.every((one, nth) => nth === 0 || one > numbers[nth - 1]!);
  }),
);

const dashboards = all(
  list(MAX_DASHBOARDS, dashboard),
  is((value) => {
    const ids = Array.isArray(value) ? value.map((each) => (isRecord(each) ? each['id'] : null)) : [];
    return new Set(ids).size === ids.length;
  }),
);

const scopes = is((value) => {
  const known: readonly string[] = SCOPES;
  return isText(value) && value.split(',').every((scope) => known.includes(scope));
});

const token = record({
  ...{ id, name: shortText, prefix: shortText, scopes, created_by: shortText },
  personal: orMissing(is((value) => value === 0 || value === 1)),
  ...{ expires_at: whole, created_at: whole, hash: is((value) => isText(value) && /^[0-9a-f]{64}$/.test(value)) },
});

const settings = record({
  retentionDays: orNull(whole),
  ipPolicy: shortText,
  timezone: shortText,
  weekStart: orMissing(shortText),
  personalProperties: orMissing(list(MOST_PERSONAL, shortText)),
});

const keys = record({ public_key: key('pk_'), secret_key: key('sk_'), tokens: list(MAX_TOKENS, token) });

const HEAD = record({
  ...{ release: shortText, shard_format: whole },
  project: record({ id, name: text, settings, dashboards, hash_key: orMissing(orNull(shortText)), keys: orNull(keys) }),
  shard: record({ bytes: whole, sha256: shortText }),
});
