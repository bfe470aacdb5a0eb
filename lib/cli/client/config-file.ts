/** Files with settings of the client: their format, reading and writing. */
import { chmodSync, fstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { ClientError } from './client-error.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import { makeFolders } from '../../base/files/make-folders.ts';
import { openedFile } from '../../base/files/opened-file.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';
import { nearest } from '../../base/text/nearest.ts';
import { readJson } from '../../base/text/read-json.ts';
import { PRIVATE_FILE } from '../../base/files/private-files.ts';

/** Settings from a file; its other fields are kept. */
export interface FileSettings {
  readonly apiKey: string | null;
  readonly host: string | null;
}

/** A file as found. `missing` is fine; `problem` says what is wrong and names the file; `ignored`: names it has for nothing. */
export type ConfigFile =
  | { readonly state: 'missing'; readonly path: string }
  | { readonly state: 'broken'; readonly path: string; readonly problem: string }
  | {
      readonly state: 'read';
      readonly path: string;
      readonly settings: FileSettings;
      readonly raw: JsonRecord;
      readonly ignored: readonly string[];
    };

/** Of a project folder. */
export const FOLDER_FILE = '.windlass.json';

const NAMES = ['api_key', 'host'] as const;

const MAX_BYTES = 65_536;
const PRIVATE_FOLDER = 0o700;

/** The user's file: below XDG_CONFIG_HOME if that is an absolute path, else below ~/.config. */
export function userFile(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(base) ? base : join(homeOf(env), '.config'), 'windlass', 'config.json');
}

/** The user's folder; never relative to the current one, whose files may be anybody's. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  const named = env['HOME'] || homedir();
  return isAbsolute(named) ? named : userInfo().homedir;
}

export function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    text = readBounded(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return { state: 'missing', path };
    return { state: 'broken', path, problem: `${path} cannot be read: ${messageOf(error)}` };
  }
  const problem = (what: string): ConfigFile => ({ state: 'broken', path, problem: `${path} ${what}` });
  let raw: unknown;
  try {
    raw = readJson(text.replace(/^\uFEFF/, ''));
  } catch {
    return problem('is not JSON'); // the parser's message would show part of the text, which may be a key
  }
  if (!isRecord(raw)) return problem('must hold a JSON object');
  const wrong = NAMES.find((name) => raw[name] !== undefined && typeof raw[name] !== 'string');
  if (wrong !== undefined) return problem(`must have a string in "${wrong}"`);
  const settings = { apiKey: textOf(raw['api_key']), host: textOf(raw['host']) };
  const ignored = Object.keys(raw).filter((name) => !NAMES.some((known) => known === name));
  return { state: 'read', path, raw, settings, ignored };
}

/**
 * Sets values in a file and makes it readable only by its owner, in a folder that only its owner may enter. Replaces the file as
 * a whole. Throws ClientError if it is broken or cannot be written.
 */
export function writeConfigFile(path: string, values: { readonly api_key?: string; readonly host?: string }): void {
  const found = readConfigFile(path);
  if (found.state === 'broken') throw brokenFile(found.problem);
  const raw = found.state === 'read' ? { ...found.raw, ...values } : values;
  const draft = `${path}.${process.pid}.new`;
  try {
    makeFolders(dirname(path), PRIVATE_FOLDER);
    chmodSync(dirname(path), PRIVATE_FOLDER);
    writeFileSync(draft, `${JSON.stringify(raw, null, 2)}\n`, { mode: PRIVATE_FILE });
    chmodSync(draft, PRIVATE_FILE);
    renameSync(draft, path);
  } catch (error) {
    throw new ClientError(`Cannot write ${path}: ${messageOf(error)}`);
  }
}

/** What to tell of a name that means nothing in a file; never its value, which may be a key. */
export function ignoredName(path: string, name: string): string {
  const meant = nearest(name, NAMES);
  const next =
    meant === null ? `it may have ${NAMES.map((known) => `"${known}"`).join(', ')}` : `did you mean "${meant}"?`;
  return `${path} has an unknown name ${JSON.stringify(name.slice(0, 64))}, which is ignored: ${next}`; // UTF-16 units
}

/** The error for a broken file whose values are needed. */
export function brokenFile(problem: string): ClientError {
  return new ClientError(problem, ['Fix the file, or delete it and run `wl config init`.']);
}

function readBounded(path: string): string {
  using file = openedFile(path, 'r');
  const { size } = fstatSync(file.fd);
  if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES.toLocaleString('en')} bytes`);
  return readFileSync(file.fd, 'utf8');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
