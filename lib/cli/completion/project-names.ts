/** Names of a project for completion: fetched from the server, cached for a minute in the user's cache folder. */
import { codeOf } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { ApiClient } from '../client/api-client.ts';
import { homeOf } from '../client/config-file.ts';
import { Settings } from '../client/settings.ts';
import { DAY_MS } from '../../base/day.ts';
import { makeFolders } from '../../base/files/make-folders.ts';
import { readJson } from '../../base/text/read-json.ts';

export type NameKind = 'event' | 'cohort';

const QUERY = '* | count by event_type | last 30d';
const TIMEOUT_MS = 2_000; // nobody waits longer after a key press
const STALE_MS = DAY_MS; // files of servers no longer asked are removed
const CANNOT_QUERY = /^(?:pk|ak)_/;

/**
 * Names that the server has which the words and settings select, the most frequent events first; none without a key that may query.
 * Rejects if it does not answer in time, or refuses.
 */
export async function projectNames(
  kind: NameKind,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<readonly string[]> {
  const flags = { apiKey: valueOf(words, '--api-key'), host: valueOf(words, '--host') };
  const settings = new Settings({ flags, env, folder });
  const key = settings.apiKey;
  if (key === null || CANNOT_QUERY.test(key.value)) return [];
  const cache = cacheFolder(env);
  const digest = createHash('sha256').update(`${settings.host.value}\0${key.value}`).digest('hex');
  const file = join(cache, `${kind}s-${digest}.json`);
  const kept = readKept(file);
  if (kept !== null) return kept;
  const names = await ask(kind, settings);
  try {
    keep(cache, file, names);
  } catch (error) {
    if (codeOf(error) === '') throw error; // a cache that cannot be written costs a request each time, but no names
  }
  return names;
}

async function ask(kind: NameKind, settings: Settings): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  using api = new ApiClient({ settings, timeout: TIMEOUT_MS, signal, notify: () => undefined });
  const body = JSON.stringify({ q: QUERY, format: 'json', limit: 500 });
  const of = { key: 'query', retry: 'never' } as const;
  const [column, rows] =
    kind === 'event'
      ? ['event_type', await api.json({ method: 'POST', path: '/query', body, ...of })]
      : ['name', await api.json({ method: 'GET', path: '/cohorts', ...of })];
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    const name = isRecord(row) ? row[column] : null;
    return typeof name === 'string' ? [name] : [];
  });
}

/** null: there is none, it is over a minute old, or it is not a list. */
function readKept(file: string): readonly string[] | null {
  try {
    const { mtimeMs, size } = statSync(file);
    const age = Date.now() - Math.floor(mtimeMs); // a file of this millisecond is not from the future
    if (age < 0 || age > 60_000 || size > 1_048_576) return null; // bytes
    const names: unknown = readJson(readFileSync(file, 'utf8'));
    return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : null;
  } catch {
    return null; // then ask the server
  }
}

/** Only the user may read it: names belong to the project. */
function keep(folder: string, file: string, names: readonly string[]): void {
  makeFolders(folder, 0o700);
  chmodSync(folder, 0o700);
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, JSON.stringify(names), { mode: 0o600 });
  renameSync(draft, file);
  for (const name of readdirSync(folder)) {
    const old = join(folder, name);
    if (/^(?:event|cohort)s-/.test(name) && Date.now() - statSync(old).mtimeMs > STALE_MS) rmSync(old, { force: true });
  }
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CACHE_HOME'] ?? '';
  return join(isAbsolute(base) ? base : join(homeOf(env), '.cache'), 'windlass');
}

function valueOf(words: readonly string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
  if (at === -1) return undefined;
  const word = words[at] ?? '';
  return word === name ? words[at + 1] : word.slice(name.length + 1);
}
