/** Passes messages of an agent on to the server's /mcp, each as a request of its own, and the answers back. */
import { isRecord, type JsonRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import type { HttpAnswer } from '../client/http.ts';
import type { EventLine } from '../track/lines.ts';

interface RelayOptions {
  readonly api: Pick<ApiClient, 'pass'>;
  /** Whether to ask for the tools that store events. */
  readonly writes: boolean;
  readonly signal: AbortSignal;
  /** Writes a line to the agent. */
  readonly print: (line: string) => void;
}

/** Requests that run at once; further lines wait in the pipe. */
const MOST_RUNNING = 16;

/** Of JSON-RPC: the text is no JSON; and for what a server may define, that the host did not answer. */
const NO_JSON = -32_700;
const NO_ANSWER = -32_000;

export class Relay {
  readonly #options: RelayOptions;
  /** Those without an answer, by the id that the agent gave them. */
  readonly #running = new Map<unknown, AbortController>();
  readonly #sent = new Set<Promise<void>>();
  /** What a handshake of the older revisions has agreed on. */
  #revision: string | null = null;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Sends a line on. Resolves when there is room for another. */
  async take(line: EventLine): Promise<void> {
    const text = 'problem' in line ? null : line.bytes.toString('utf8', line.from, line.to).trim();
    if (text === '') return;
    const message = text === null ? null : messageOf(text);
    if (text === null || message === null) {
      const error = {
        code: NO_JSON,
        message: 'problem' in line ? `The message: ${line.problem}.` : 'This line is no JSON object.',
      };
      return this.#print({ jsonrpc: '2.0', id: null, error });
    }
    if (message['method'] === 'notifications/cancelled') return this.#cancel(message);
    const sent = this.#send(text, message).finally(() => this.#sent.delete(sent));
    this.#sent.add(sent);
    if (this.#sent.size >= MOST_RUNNING) await Promise.race(this.#sent);
  }

  /** Resolves when all is answered. */
  async end(): Promise<void> {
    await Promise.all(this.#sent);
  }

  async #send(text: string, message: JsonRecord): Promise<void> {
    const { api, writes, signal } = this.#options;
    const cancelled = new AbortController();
    const { id } = message;
    if (id !== undefined) this.#running.set(id, cancelled);
    const request: ApiRequest = {
      method: 'POST',
      path: '/mcp',
      parameters: { write: writes ? 'true' : undefined },
      body: text,
      headers: headersOf(message, this.#revision),
      key: 'query',
      retry: 'never',
    };
    let wait: string | null = null;
    const takes = (answer: HttpAnswer): boolean => {
      wait = answer.header('retry-after');
      return isAnswer(answer);
    };
    try {
      const answer = await api.pass(request, takes, AbortSignal.any([signal, cancelled.signal]));
      for (const line of linesOf(answer)) {
        this.#note(message, line);
        this.#options.print(line);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (cancelled.signal.aborted || id === undefined) return; // nobody waits for an answer
      if (!(error instanceof ClientError)) throw error;
      this.#print({ jsonrpc: '2.0', id, ...failure(message, error, wait) });
    } finally {
      if (this.#running.get(id) === cancelled) this.#running.delete(id);
    }
  }

  /** Later requests name the revision that the handshake has agreed on. */
  #note({ method }: JsonRecord, line: string): void {
    if (method !== 'initialize') return;
    const result = messageOf(line)?.['result'];
    const revision = isRecord(result) ? result['protocolVersion'] : null;
    this.#revision = typeof revision === 'string' ? revision : null;
  }

  #cancel({ params }: JsonRecord): void {
    if (isRecord(params)) this.#running.get(params['requestId'])?.abort();
  }

  #print(message: object): void {
    this.#options.print(JSON.stringify(message));
  }
}

function messageOf(text: string): JsonRecord | null {
  try {
    const value = readJson(text);
    return isRecord(value) ? value : null;
  } catch {
    return null; // the agent is told
  }
}

const REVISION = 'io.modelcontextprotocol/protocolVersion';

/** The headers in which HTTP repeats what a message says: of each, since 2026-07-28; before, the revision alone. */
function headersOf({ method, params }: JsonRecord, agreed: string | null): Record<string, string> {
  const accept = { accept: 'application/json, text/event-stream' };
  const { _meta: meta, name, uri } = isRecord(params) ? params : {};
  const own = isRecord(meta) ? meta[REVISION] : undefined;
  if (typeof own !== 'string') return agreed === null ? accept : { ...accept, 'mcp-protocol-version': agreed };
  const named = method === 'resources/read' ? uri : name;
  return {
    ...accept,
    'mcp-protocol-version': encoded(own),
    'mcp-method': encoded(String(method)),
    ...(typeof named === 'string' && { 'mcp-name': encoded(named) }),
  };
}

/** A text that a header cannot hold is in Base64, as the protocol has it. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

const isStream = ({ header }: HttpAnswer): boolean => /^text\/event-stream\b/i.test(header('content-type') ?? '');

/** Whether it is the protocol's: of a notification it has no body, and errors may have any status. */
function isAnswer(answer: HttpAnswer): boolean {
  if (answer.status === 202) return true;
  return isStream(answer) ? answer.status === 200 : messageOf(answer.body.toString('utf8'))?.['jsonrpc'] === '2.0';
}

/** The messages of an answer, each on a line. */
function linesOf(answer: HttpAnswer): readonly string[] {
  const text = answer.body.toString('utf8');
  if (isStream(answer))
    return text.split(/\r?\n/).flatMap((line) => (/^data: ?\S/.test(line) ? [line.slice('data:'.length).trim()] : []));
  return text.trim() === '' ? [] : [text.replaceAll(/[\r\n]+/g, ' ')]; // JSON has line breaks only between its parts
}

/** What went wrong on the way. Of a tool it is the tool's error, which models read; others are the program's. */
function failure({ method }: JsonRecord, { message, hints }: ClientError, wait: string | null): object {
  const again = wait === null ? [] : [`Try again in ${wait} seconds.`];
  const text = [message, ...hints.map((hint) => `Hint: ${hint}`), ...again].join('\n');
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text }], isError: true } };
  return { error: { code: NO_ANSWER, message: text } };
}
