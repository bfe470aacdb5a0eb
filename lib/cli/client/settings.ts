/**
 * Which server a command talks to and with which key: from flags, else the environment, else `.windlass.json` in the current
 * folder, else the user's file, else (only the host) a default.
 */
import { join } from 'node:path';
import { UsageError } from '../command.ts';
import { ClientError } from './client-error.ts';
import { brokenFile, FOLDER_FILE, ignoredName, readConfigFile, userFile, type ConfigFile } from './config-file.ts';

export type SettingOrigin = 'flag' | 'environment' | 'folder' | 'user' | 'default';

/** A value and its source: `where` names the flag, the variable or the file. */
export interface FoundSetting {
  readonly value: string;
  readonly origin: SettingOrigin;
  readonly where: string;
}

/** A value, and its source as `Found` has it; null: what was typed at a prompt. */
type Given = Pick<FoundSetting, 'value'> & { readonly where: string | null };

interface Places {
  readonly flags: { readonly apiKey?: string | undefined; readonly host?: string | undefined };
  readonly env: NodeJS.ProcessEnv;
  /** The current folder. */
  readonly folder: string;
}

export const DEFAULT_HOST = 'http://localhost:8080';
const KEY = /^[\u0021-\u007E]{1,256}$/;

/** Looks up values only when needed: a broken file does not matter to commands that need nothing from it. */
export class Settings {
  readonly #places: Places;
  readonly #files: readonly { readonly origin: 'folder' | 'user'; readonly file: ConfigFile }[];
  #host: FoundSetting | null = null;

  constructor(places: Places) {
    this.#places = places;
    this.#files = [
      { origin: 'folder', file: readConfigFile(join(places.folder, FOLDER_FILE)) },
      { origin: 'user', file: readConfigFile(userFile(places.env)) },
    ];
  }

  /** Problems with files, needed or not. */
  get problems(): readonly string[] {
    return this.#files.flatMap(({ file }) => (file.state === 'broken' ? [file.problem] : []));
  }

  /** What the files have for nothing: the first few names. */
  get ignored(): readonly string[] {
    return this.#files
      .flatMap(({ file }) => (file.state === 'read' ? file.ignored.map((name) => ignoredName(file.path, name)) : []))
      .slice(0, 3);
  }

  /** The address, `http://host:port` and perhaps a path, without a trailing slash. Throws ClientError if it is invalid. */
  get host(): FoundSetting {
    return (this.#host ??= this.#findHost());
  }
  /**
   * The key, or null. Throws if the user's key would go to a host named by a file in the current folder, since that folder's
   * author could collect keys. Also throws if the key is malformed.
   */
  get apiKey(): FoundSetting | null {
    const key = this.anyApiKey;
    if (key?.origin !== 'user') return key;
    const host = this.host;
    if (host.origin !== 'folder') return key;
    throw new ClientError(`The API key of ${key.where} is not sent to ${host.value}, which ${host.where} names.`, [
      `If you trust this folder, put the key for that host in the file as "api_key", set WINDLASS_API_KEY, or pass --host ${host.value}.`,
    ]);
  }

  /** The key that would be used, wherever it may go. */
  get anyApiKey(): FoundSetting | null {
    const { flags, env } = this.#places;
    const found = given(flags.apiKey, env['WINDLASS_API_KEY'], 'api-key') ?? this.#inFiles('apiKey');
    return found === null ? null : { ...found, value: checkedKey(found) };
  }

  #findHost(): FoundSetting {
    const { flags, env } = this.#places;
    const found = given(flags.host, env['WINDLASS_HOST'], 'host') ?? this.#inFiles('host');
    if (found === null) return { value: DEFAULT_HOST, origin: 'default', where: 'the default' };
    return { ...found, value: canonicalHost(found) };
  }

  #inFiles(name: 'apiKey' | 'host'): FoundSetting | null {
    for (const { origin, file } of this.#files) {
      if (file.state === 'broken') throw brokenFile(file.problem);
      const value = file.state === 'read' ? file.settings[name] : null;
      if (value !== null) return { value, origin, where: file.path };
    }
    return null;
  }
}

/** A host in canonical form. Throws ClientError that names its source. */
export function canonicalHost({ value, where }: Given): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  if (!isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ClientError(
      `The host ${placed(where)} must be an address like ${DEFAULT_HOST} or https://analytics.example.com.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A key that can be sent. Throws ClientError that names its source but does not show it. */
export function checkedKey({ value, where }: Given): string {
  if (KEY.test(value)) return value;
  throw new ClientError(`The API key ${placed(where)} is malformed: it is empty, too long or has invalid characters.`);
}

function placed(where: string | null): string {
  return where === null ? 'you typed' : `from ${where}`;
}

/** A key as it may be shown: its kind and end. */
export function masked(key: string): string {
  const kind = /^(?:pk|sk|ak|aat|op)_/.exec(key)?.[0] ?? '';
  // Of a shorter key even the end would reveal too much.
  const end = key.length >= kind.length + 16 ? key.slice(-4) : ''; // characters
  return `${kind}…${end}`;
}

function given(flag: string | undefined, variable: string | undefined, name: 'host' | 'api-key'): FoundSetting | null {
  if (flag?.trim() === '') throw new UsageError(`--${name} is empty`); // a variable of a script that is not set
  if (flag !== undefined) return { value: flag.trim(), origin: 'flag', where: `--${name}` };
  if (variable === undefined || variable.trim() === '') return null;
  const where = name === 'host' ? 'WINDLASS_HOST' : 'WINDLASS_API_KEY';
  return { value: variable.trim(), origin: 'environment', where };
}
