/** The host that a command of `wl admin` works on with `--host`: its operator API, which answers with what the command prints. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { settingText } from '../../base/config/setting-source.ts';
import { isRecord, type JsonRecord } from '../../base/is-record.ts';
import { isLoopback } from '../../base/net/loopback.ts';
import type { OrganizationJson } from '../../control/json.ts';
import { MAX_PAGE } from '../../control/storage/connection.ts';
import { ApiClient, type ApiRequest } from '../client/api-client.ts';
import { pathSegment } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import { canonicalHost, checkedKey } from '../client/settings.ts';
import { managing } from '../project/admin-api.ts';
import type { Terminal } from '../terminal.ts';

/** What it gets by no argument, which other accounts of the machine could see. */
const KEY = 'WINDLASS_OPERATOR_KEY';

/** For what copies, removes or measures much of a disk. Milliseconds. */
const PATIENCE = 600_000;

interface Asked {
  readonly body?: JsonRecord;
  readonly parameters?: ApiRequest['parameters'];
  /** Whether its answer may take minutes. */
  readonly slow?: boolean;
}

export class RemoteHost implements Disposable {
  readonly #api: ApiClient;

  /** @param timeout Milliseconds of each try. Requests throw ClientError for what is wrong with address or key. */
  constructor(url: string, timeout: number, terminal: Terminal) {
    const host = { value: canonicalHost({ value: url.trim(), where: '--host' }), origin: 'flag', where: '--host' } as const;
    const key = settingText(process.env, KEY);
    const apiKey = key === undefined ? null : ({ value: key, origin: 'environment', where: KEY } as const);
    if (apiKey !== null) checkedKey(apiKey);
    const notify = (text: string): void => terminal.say(`wl: ${text}`);
    const { protocol, hostname } = new URL(host.value);
    if (protocol === 'http:' && !isLoopback(hostname))
      notify(`${host.value} is asked without TLS: whoever is in between can read the operator key. Use an https:// address.`);
    const settings = { host, apiKey, problems: [] };
    this.#api = new ApiClient({ settings, timeout, notify, signal: new AbortController().signal });
  } // prettier-ignore

  [Symbol.dispose](): void {
    this.#api[Symbol.dispose]();
  }

  /** The JSON that it answers a path below /operator with. Rejects with ServerError, TransportError and ClientError. */
  async ask<T extends object>(method: ApiRequest['method'], path: string, asked: Asked = {}): Promise<T> {
    return answered(await this.#api.json(requestOf(method, path, asked)));
  }

  /** Makes something, once: sent again after an answer that got lost, it gets the same answer. */
  async create<T extends object>(path: string, body: JsonRecord): Promise<T> {
    const request = managing('operator', 'POST', `/operator${path}`, { body, idempotencyKey: randomUUID() });
    return answered(await this.#api.json({ ...request, retry: 'stream' }));
  }

  /** A text, such as CSV. */
  async text(path: string, parameters: ApiRequest['parameters'] = {}): Promise<string> {
    return (await this.#api.send(requestOf('GET', path, { parameters }))).body.toString('utf8');
  }

  /** All of a list that comes in pages. */
  async all<T extends object>(path: string): Promise<readonly T[]> {
    const found: T[] = [];
    for (let cursor: string | undefined; ;) {
      const parameters = { limit: String(MAX_PAGE), cursor };
      const { value, header } = await this.#api.read(requestOf('GET', path, { parameters }));
      found.push(...answered<readonly T[]>(value));
      const next = header('x-next-cursor');
      if (next === null) return found;
      cursor = next;
    }
  }

  /** Its organizations, at most two: enough to see whether there is only one. */
  firstTwo(): Promise<readonly OrganizationJson[]> {
    return this.ask('GET', '/orgs', { parameters: { limit: '2' } });
  }

  /** A file that it makes. */
  download(path: string): Promise<AsyncIterable<Buffer>> {
    return this.#api.stream(requestOf('GET', path, { slow: true }));
  }

  /** Sends a file, once, and returns what becomes of it. */
  async upload<T extends object>(path: string, parameters: ApiRequest['parameters'], file: Readable): Promise<T> {
    const request = requestOf('POST', path, { parameters, slow: true });
    const headers = { 'content-type': 'application/octet-stream' };
    return answered(await this.#api.json({ ...request, lines: file, headers, retry: 'never' }));
  }
}

/** The path of an organization. Throws ClientError for an invalid id. */
export const operatorOrgPath = (id: string): string => `/orgs/${pathSegment(id, 'organization')}`;

function requestOf(method: ApiRequest['method'], path: string, { slow = false, ...parts }: Asked): ApiRequest {
  const request = managing('operator', method, `/operator${path}`, parts);
  return slow ? { ...request, patience: PATIENCE } : request;
}

function answered<T extends object>(value: unknown): T {
  if (!isRecord(value) && !Array.isArray(value))
    throw new ClientError('The answer is neither an object nor a list: is it a Windlass server of this version?');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a service of this release answers
  return value as T;
}
