/** Clients of the Model Context Protocol: the library of its newest revision, and the one before it. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { fetch } from './checked-fetch.ts';
import { isRecord, record, type Json } from './open-schemas.ts';

/** What a tool has answered. */
export interface Told {
  readonly isError: boolean;
  /** All of its text. */
  readonly text: string;
  readonly data: Json;
}

/** What tests ask of a client of either revision. */
export interface McpClient {
  readonly tools: () => Promise<readonly Json[]>;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<Told>;
  readonly resources: () => Promise<readonly string[]>;
  readonly read: (uri: string) => Promise<string>;
  readonly prompts: () => Promise<readonly string[]>;
  readonly prompt: (name: string, args: Record<string, string>) => Promise<string>;
  readonly close: () => Promise<void>;
}

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/** A client over HTTP with a key, checked against /openapi.json. */
export async function connectHttp(url: string, key: string, revision: Revision, query = ''): Promise<McpClient> {
  const address = new URL(`${url}/mcp${query}`);
  const options = { fetch, requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  if (revision === '2026-07-28') return newer(new StreamableHTTPClientTransport(address, options));
  return older(new OlderTransport(address, options) as OlderParameter);
}

type OlderParameter = Parameters<OlderClient['connect']>[0];

const INFO = { name: 'test', version: '1.0.0' };

export async function newer(transport: Transport): Promise<McpClient> {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport);
  return wrapped(client);
}

export async function older(transport: OlderParameter): Promise<McpClient> {
  const client = new OlderClient(INFO);
  await client.connect(transport);
  return wrapped(client);
}

/** What the two libraries have in common. */
interface Library {
  listTools(): Promise<unknown>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  listPrompts(): Promise<unknown>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  close(): Promise<void>;
}

function wrapped(client: Library): McpClient {
  return {
    tools: async () => listIn(await client.listTools(), 'tools'),
    call: async (name, args = {}) => {
      const { content, structuredContent, isError } = record(await client.callTool({ name, arguments: args }));
      const data = isRecord(structuredContent) ? structuredContent : {};
      return { isError: isError === true, text: textsOf(content), data };
    },
    resources: async () => listIn(await client.listResources(), 'resources').map(({ uri }) => String(uri)),
    read: async (uri) => textsOf(record(await client.readResource({ uri }))['contents']),
    prompts: async () => listIn(await client.listPrompts(), 'prompts').map(({ name }) => String(name)),
    prompt: async (name, args) => {
      const messages = listIn(await client.getPrompt({ name, arguments: args }), 'messages');
      return textsOf(messages.map(({ content }) => content));
    },
    close: () => client.close(),
  };
}

function listIn(answer: unknown, field: string): readonly Json[] {
  const all = record(answer)[field];
  return Array.isArray(all) ? all.map(record) : [];
}

function textsOf(content: unknown): string {
  return Array.isArray(content) ? content.map((one) => String(record(one)['text'])).join('\n') : '';
}
