/** The HTTP client of the tests: checks every answer of a service against /openapi.json. */
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeApi } from '../../lib/router/routes.ts';
import { closed, isRecord, record, type Json } from './open-schemas.ts';
import { readJson } from '../../lib/base/text/read-json.ts';

/** For people and their browsers: not part of the API. */
const PAGES = /^\/(?:console|docs|public)(?:\/|$)/;

/** Where test services are; other addresses are not checked. */
const origins = new Set<string>();

const api = record(closed(describeApi()));
const paths = Object.entries(record(api['paths'])).map(([path, item]) => ({
  path,
  pattern: new RegExp(`^${path.replace(/[.+]/g, String.raw`\$&`).replace(/\{\w+\}/g, '[^/]+')}$`),
  item: record(item),
}));
paths.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{'))); // literal paths win

const ajv = new Ajv2020({ strict: false, allErrors: true });
const coercing = new Ajv2020({ strict: false, coerceTypes: true });
ajv.addSchema(api, 'api');

/** From now on checks answers from this address. */
export function holdToDescription(url: string): void {
  origins.add(new URL(url).origin);
}

/** Answers from this address are not checked any more: its service has ended, and the system gives the port to others. */
export function letGo(url: string): void {
  origins.delete(new URL(url).origin);
}

/** Like the global `fetch`. Rejects if /openapi.json does not describe a service's answer. */
export async function fetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
  const response = await globalThis.fetch(input, init);
  const url = new URL(input);
  const method = (init.method ?? 'GET').toUpperCase();
  if (!origins.has(url.origin) || method === 'OPTIONS' || PAGES.test(url.pathname)) return response;
  const wrong = await faultOf(response, method, url.pathname);
  if (wrong === null) return response;
  throw new Error(`${method} ${url.pathname} answered ${response.status}, and /openapi.json ${wrong}`);
}

/** How the answer contradicts the description; null if it does not. */
async function faultOf(response: Response, method: string, pathname: string): Promise<string | null> {
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  if (found === undefined)
    return response.status === 404 ? bodyFault(response, method, resolve(errorOf(404))) : 'has no such path';
  const operation = found.item[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (operation === undefined) {
    return response.status === 405 ? bodyFault(response, method, resolve(errorOf(405))) : `has no ${method} there`;
  }
  const described = record(record(operation)['responses'])[String(response.status)];
  return described === undefined ? 'has no such status there' : bodyFault(response, method, resolve(described));
}

async function bodyFault(response: Response, method: string, described: Json): Promise<string | null> {
  const header = headerFault(response, described);
  if (header !== null) return header;
  if (described['content'] === undefined) return (await response.clone().text()) === '' ? null : 'has no body there';
  const content = record(described['content']);
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'none';
  const media = content[type];
  if (media === undefined) return `has ${Object.keys(content).join(', ')} there, not ${type}`;
  if (type === 'application/x-ndjson' || method === 'HEAD') return null; // streams are not read in advance
  const text = await response.clone().text();
  return schemaFault(type === 'application/json' ? readJson(text) : text, record(media)['schema']);
}

function headerFault(response: Response, described: Json): string | null {
  for (const [name, header] of Object.entries(record(described['headers'] ?? {}))) {
    const { required, schema } = record(header);
    const value = response.headers.get(name);
    if (value === null && required === true) return `has the header ${name} there`;
    const check = coercing.compile({ type: 'object', properties: { value: schema } });
    if (value !== null && !check({ value }))
      return `says of ${name}, which is ${value}: ${coercing.errorsText(check.errors)}`;
  }
  return null;
}

function schemaFault(value: unknown, schema: unknown): string | null {
  const check = compiled(JSON.stringify(schema));
  if (check(value)) return null;
  return `says of the body: ${ajv.errorsText(check.errors, { dataVar: 'body' })}\n${JSON.stringify(value).slice(0, 500)}`;
}

const checks = new Map<string, ValidateFunction>();

/** References inside a schema point into the description. */
function compiled(schema: string): ValidateFunction {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const made = ajv.compile(record(JSON.parse(schema.replaceAll('"$ref":"#/', '"$ref":"api#/'))));
  checks.set(schema, made);
  return made;
}

function errorOf(status: number): Json {
  return { $ref: `#/components/responses/${status}` };
}

function resolve(described: unknown): Json {
  const { $ref } = record(described);
  if (typeof $ref !== 'string') return record(described);
  let found: unknown = api;
  for (const step of $ref.slice(2).split('/')) found = isRecord(found) ? found[step] : undefined;
  return record(found);
}
