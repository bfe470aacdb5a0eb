/**
 * A project as one file:
 *
 *     windlass project · format · bytes of the head · its SHA-256 ⏎
 *     head: JSON of what the control database knows, with the length and SHA-256 of the shard ⏎
 *     the shard file
 *
 * It gets its name once it is complete.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Parcel } from '../control/operator/parcels.ts';
import { AppError, codeOf } from '../base/errors.ts';
import { SHARD_FORMAT } from '../shards/file/shard-file.ts';
import { VERSION } from '../base/version.ts';
import { sumOfFile } from './whole-file.ts';
import { openedFile } from '../base/files/opened-file.ts';
import { syncPath } from '../base/files/sync-path.ts';
import { COHORT_NAME, MAX_COHORT_BYTES } from '../base/cohorts.ts';
import { isRecord } from '../base/is-record.ts';
import { readJson } from '../base/text/read-json.ts';
import { isKeyShaped } from '../control/key-text.ts';
import { MAX_ANNOTATIONS } from '../control/projects/annotations.ts';
import { TARGET_KINDS } from '../alerts/alert.ts';
import { MAX_ALERTS } from '../control/projects/alerts.ts';
import { MAX_COHORTS } from '../control/projects/cohorts.ts';
import { MAX_QUESTION_VERSIONS, MAX_SAVED_QUESTIONS, QUESTION_NAME } from '../control/projects/saved-questions.ts';
import { MAX_DASHBOARDS, MAX_VERSIONS } from '../control/projects/dashboards.ts';
import { MOST_PERSONAL } from '../control/projects/settings.ts';
import { MAX_TOKENS } from '../control/projects/tokens.ts';
import { SCOPES } from '../control/types.ts';
import { filePieces } from '../base/files/file-pieces.ts';

const MAGIC = 'windlass project';
const FORMAT = 1;

export interface ProjectHead {
  /** The release that wrote it. */
  readonly release: string;
  readonly shard_format: number;
  /** ISO 8601. */
  readonly exported_at: string;
  readonly project: Parcel;
  readonly shard: { readonly bytes: number; readonly sha256: string };
}

/** Writes a new file. Returns its length. */
export function writeProjectFile(file: string, shard: string, project: Parcel): number {
  const head: ProjectHead = {
    ...{ release: VERSION, shard_format: SHARD_FORMAT, exported_at: new Date().toISOString() },
    ...{ project, shard: sumOfFile(shard) },
  };
  const json = Buffer.from(`${JSON.stringify(head)}\n`);
  using out = openedFile(file, 'wx', 0o600);
  fs.writeFileSync(out.fd, `${MAGIC} ${FORMAT} ${json.length} ${sumOf(json)}\n`);
  fs.writeFileSync(out.fd, json);
  copyBytes(shard, 0, out.fd);
  fs.fsyncSync(out.fd);
  return fs.fstatSync(out.fd).size;
}

/** Checks a file and copies its shard. Throws AppError if it is not an exported project, torn, or of a newer release. */
export function readProjectFile(file: string, shardTo: (project: string) => string): ProjectHead {
  const { head, end } = readHead(file);
  const to = shardTo(head.project.id);
  {
    using out = openedFile(to, 'wx', 0o600);
    copyBytes(file, end, out.fd);
    fs.fsyncSync(out.fd);
  }
  syncPath(path.dirname(to));
  const { bytes, sha256 } = sumOfFile(to);
  if (bytes !== head.shard.bytes || sha256 !== head.shard.sha256)
    throw damaged(file, 'its events differ from what was written');
  return head;
}

/** `end`: where the shard begins. */
export function readHead(file: string): { readonly head: ProjectHead; readonly end: number } {
  using from = openFile(file);
  const start = Buffer.alloc(256); // most bytes of the first line
  const line = start.subarray(0, fs.readSync(from.fd, start)).toString('latin1').split('\n', 1)[0]!;
  const [, format, length, sum] = /^windlass project (\d+) (\d+) ([0-9a-f]{64})$/.exec(line) ?? [];
  if (format === undefined || length === undefined) {
    if (new RegExp(`^${MAGIC} \\d+`).test(line) && !line.startsWith(`${MAGIC} ${FORMAT} `)) throw newer(file);
    throw new AppError('bad_request', `${file} is not an exported project`, {
      hints: ['name a file that `wl admin project export` has made'],
    });
  }
  if (Number(format) > FORMAT) throw newer(file);
  const rest = fs.fstatSync(from.fd).size - line.length - 1;
  // Most bytes of the head: a project may have 500 dashboards of 50 versions each.
  if (Number(length) > Math.min(1 << 30, rest)) throw damaged(file, 'its head is not whole');
  const json = Buffer.alloc(Number(length));
  fs.readSync(from.fd, json, 0, json.length, line.length + 1);
  if (sumOf(json) !== sum) throw damaged(file, 'its head is not what was written');
  const head = parsed(file, json);
  if (isRecord(head) && Number(head['shard_format']) > SHARD_FORMAT) throw newer(file, String(head['release']));
  if (!isHead(head)) throw unlikeExport(file, headProblem(head) ?? '');
  if (rest - json.length !== head.shard.bytes) throw damaged(file, 'its events are not as long as what was written');
  return { head, end: line.length + 1 + json.length };
}

/** Its checksum is right, which whoever made it may have calculated of anything. */
function parsed(file: string, json: Buffer): unknown {
  try {
    return readJson(json.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ERR_STRING_TOO_LONG') throw unlikeExport(file, '');
    throw error;
  }
}

function openFile(file: string): ReturnType<typeof openedFile> {
  try {
    if (!fs.statSync(file).isFile()) throw new AppError('bad_request', `${file} is no file`);
    return openedFile(file, 'r');
  } catch (error) {
    const code = codeOf(error);
    if (code === '') throw error;
    throw new AppError('bad_request', `${file} cannot be read (${code})`);
  }
}

function copyBytes(from: string, start: number, out: number): void {
  for (const piece of filePieces(from, start)) fs.writeFileSync(out, piece);
}

const sumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function damaged(file: string, what: string): AppError {
  return new AppError('bad_request', `${file} is damaged or was not copied whole: ${what}`, {
    hints: ['nothing was changed; copy it again from where it came'],
  });
}

function unlikeExport(file: string, part: string): AppError {
  const what = part === '' ? 'its head' : `${part} in its head`;
  return new AppError('bad_request', `${file} cannot be imported: ${what} is not as an export writes it`, {
    hints: ['nothing was changed; export the project again with `wl admin project export`'],
  });
}

function newer(file: string, release?: string): AppError {
  const by = release === undefined ? '' : ` (${release})`;
  return new AppError('bad_request', `${file} was written by a newer release of Windlass${by}`, {
    hints: [`this is ${VERSION}: import it with that release or a later one`],
  });
}

function isHead(value: unknown): value is ProjectHead {
  return headProblem(value) === null;
}

/** Returns the path of the first wrong part within the value, '' for itself; null if it is right. */
type Check = (value: unknown) => string | null;

/**
 * The path of a part that is not as an export writes it, though the checksum is right: that says nothing of who wrote it. null if
 * all parts are; other parts than these are not read.
 */
const headProblem = (head: unknown): string | null => HEAD(head);

const is =
  (test: (value: unknown) => boolean): Check =>
  (value) =>
    test(value) ? null : '';

/** PostgreSQL takes no text with a zero. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

const text = is(isText);
// As large as a name or an address may be; other texts are bounded by the head.
const shortText = is((value) => isText(value) && value.length <= 1_000);
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

/** The newest is the last; numbers ascend. */
const inOrder = is((value) => {
  if (!isRecord(value) || !Array.isArray(value['versions'])) return false;
  const numbers = value['versions'].map((each) => (isRecord(each) ? each['version'] : null)).filter(isWhole);
  return numbers.at(-1) === value['version'] && numbers.every((one, nth) => nth === 0 || one > numbers[nth - 1]!);
});

/** No two of a list have the same. */
const distinct = (part: string): Check =>
  is((value) => {
    const found = Array.isArray(value) ? value.map((each) => (isRecord(each) ? each[part] : null)) : [];
    return new Set(found).size === found.length;
  });

const dashboard = all(
  record({ id, title: shortText, place: orNull(is(isWhole)), version: whole, versions: list(MAX_VERSIONS, version) }),
  inOrder,
);

const dashboards = all(list(MAX_DASHBOARDS, dashboard), distinct('id'));

/** JSON of names. */
const listOfNames = is((value) => {
  if (!isText(value)) return false;
  try {
    const names = readJson(value);
    return Array.isArray(names) && names.every(isText);
  } catch {
    return false;
  }
});

const cohortVersion = record({
  ...{ version: whole, condition: is((value) => isText(value) && Buffer.byteLength(value) <= MAX_COHORT_BYTES) },
  ...{ description: orNull(shortText), uses: listOfNames, at: whole, by: shortText },
});

const cohortName = is((value) => isText(value) && COHORT_NAME.test(value));

const cohort = all(record({ name: cohortName, version: whole, versions: list(MAX_VERSIONS, cohortVersion) }), inOrder);

const cohorts = all(list(MAX_COHORTS, cohort), distinct('name'));

/** An alert as it asks: what its texts mean is looked at when it does. */
const alertShape = record({
  ...{ id, title: shortText, schedule: shortText, description: orNull(text), timezone: orNull(shortText) },
  ...{ query: orNull(text), dashboard: orNull(id), when: orNull(shortText), paused: is((value) => typeof value === 'boolean') },
  to: list(10, record({ kind: is((value) => TARGET_KINDS.some((kind) => kind === value)), to: is((value) => isText(value) && value.length <= 2_000) })),
}); // prettier-ignore

const alertJson = is((value) => {
  if (!isText(value)) return false;
  try {
    return alertShape(readJson(value)) === null;
  } catch {
    return false;
  }
});

const alertVersion = record({ version: whole, yaml: text, checked: alertJson, at: whole, by: shortText });

const alerts = all(
  list(MAX_ALERTS, all(record({ id, title: shortText, version: whole, versions: list(MAX_VERSIONS, alertVersion) }), inOrder)),
  distinct('id'),
); // prettier-ignore
const questionVersion = record({ version: whole, query: text, at: whole, by: shortText });

const questionName = is((value) => isText(value) && QUESTION_NAME.test(value));

const question = all(
  record({ name: questionName, version: whole, versions: list(MAX_QUESTION_VERSIONS, questionVersion) }),
  inOrder,
);

const questions = all(list(MAX_SAVED_QUESTIONS, question), distinct('name'));
const annotation = record({ at: whole, text: shortText, created_at: whole, created_by: shortText });

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
  bots: orMissing(shortText),
  personalProperties: orMissing(list(MOST_PERSONAL, shortText)),
  eventsPerMonth: orMissing(orNull(whole)),
});

const keys = record({ public_key: key('pk_'), secret_key: key('sk_'), tokens: list(MAX_TOKENS, token) });

const HEAD = record({
  ...{ release: shortText, shard_format: whole },
  project: record({
    id,
    name: text,
    settings,
    dashboards,
    cohorts: orMissing(cohorts),
    alerts: orMissing(alerts),
    questions: orMissing(questions),
    annotations: orMissing(list(MAX_ANNOTATIONS, annotation)),
    hash_key: orMissing(orNull(shortText)),
    keys: orNull(keys),
  }),
  shard: record({ bytes: whole, sha256: shortText }),
});
