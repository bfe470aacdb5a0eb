/** Data folders that earlier builds left, with those builds' answers. See test/fixtures/README.md. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { compareCodePoints, roundComputed } from '../../lib/dsl/plan/value.ts';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/', import.meta.url));

/** What the earlier build answered, at `asked_at`, with WINDLASS_SECRET = `secret`. */
export interface OldAnswers {
  readonly asked_at: string;
  readonly secret: string;
  readonly admin_keys: Readonly<Record<string, string>>;
  /** Secret keys by project name. */
  readonly keys: Readonly<Record<string, string>>;
  readonly answers: readonly {
    readonly project: string;
    readonly q: string;
    readonly format: string;
    readonly answer: string;
  }[];
  /** `who`: the name of an admin key, or of a person at @example.com. */
  readonly resources: readonly { readonly who: string; readonly path: string; readonly answer: unknown }[];
  readonly exports: readonly { readonly project: string; readonly user: string; readonly answer: string }[];
  /** The statuses of a credential at POST /track and /query. */
  readonly credentials: readonly {
    readonly name: string;
    readonly key: string;
    readonly track: number;
    readonly query: number;
  }[];
  /** Events already stored, for the key `repeats_to`. */
  readonly repeats: readonly unknown[];
  readonly repeats_to: string;
}

/** Folder names that are versions: those that made them. */
export const oldVersions = (): string[] => readdirSync(FIXTURES).filter((name) => /^\d/.test(name));

/**
 * Its answers, except those that a later version changed on purpose: `changed.json` has these, with the reason; properties of events
 * are in the order of their keys, which was once that in which the project first had them; and computed numbers, of which these
 * answers have all fractions that long, had more than 15 digits.
 */
export function oldAnswers(version: string): OldAnswers {
  const old = JSON.parse(unpack(join(FIXTURES, version, 'answers.json.br')).toString('utf8')) as OldAnswers;
  const changed = JSON.parse(readFileSync(join(FIXTURES, version, 'changed.json'), 'utf8')) as Changed[];
  const answers = old.answers.map((one) => {
    const change = changed.find(
      ({ project, q, format }) => project === one.project && q === one.q && format === one.format,
    );
    const answer = inFifteenDigits(change?.answer ?? one.answer);
    if (change !== undefined) return { ...one, answer };
    return { ...one, answer: one.format === 'json' ? propertiesByKey(answer) : answer };
  });
  const exports = old.exports.map((one) => ({
    ...one,
    answer: one.answer.split('\n').map(propertiesByKey).join('\n'),
  }));
  return { ...old, answers, exports };
}

const inFifteenDigits = (answer: string): string =>
  answer.replaceAll(/-?\d+\.\d{10,}/g, (number) => String(roundComputed(Number(number))));

/** @param json '' stays ''. */
function propertiesByKey(json: string): string {
  if (json === '') return json;
  return JSON.stringify(JSON.parse(json), (name, value: Readonly<Record<string, unknown>>) =>
    name === 'event_properties' || name === 'user_properties'
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => compareCodePoints(a, b)))
      : value,
  );
}

type Changed = OldAnswers['answers'][number] & { readonly why: string };

/** Unpacks that data folder into an empty one. */
export function unpackOldData(version: string, into: string): void {
  const from = join(FIXTURES, version, 'data');
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.br')) continue;
    const file = join(into, name.slice(0, -'.br'.length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, unpack(join(from, name)), { mode: 0o600 });
  }
}

const unpack = (file: string): Buffer => brotliDecompressSync(readFileSync(file));
