/** GET /llms.txt: all that an agent needs to use this host, put together from docs/, the settings and the description of the API. */
import type { RequestHandler } from 'express';
import type { Config } from '../../config.ts';
import { SETTINGS } from '../../config.ts';
import { VERSION } from '../../version.ts';
import { sendText } from '../answer.ts';
import type { RouterContext } from '../context.ts';
import { describeApi } from '../openapi.ts';
import { DocsPage, withAddress } from './docs-page.ts';
import { bytes, duration, whole } from './figures.ts';
import { hostAddress } from './host-address.ts';

export function llms(context: RouterContext): RequestHandler {
  const text = llmsText(context.config);
  return (request, response) => {
    const address = hostAddress(request, context);
    sendText(
      response,
      200,
      'text/plain; charset=utf-8',
      withAddress(text, address).replaceAll(ADDRESS, () => address),
    );
  };
}

const ADDRESS = '{address}';

/** The page, with a mark where the address of the host goes. */
function llmsText(config: Config): string {
  const api = new DocsPage('http-api.md');
  const agents = new DocsPage('agents.md');
  return `# Windlass

> Product analytics: events in over HTTP, answers out of a pipe language as Markdown, JSON or CSV. This host is ${ADDRESS}, version ${VERSION}.

The shortest way: with a key that may query, POST ${ADDRESS}/query {"q": "inspect *"} to see which events there are, then ask.

- [OpenAPI 3.1](${ADDRESS}/openapi.json): every request and answer
- [Log in](${ADDRESS}/login): a person makes projects, keys and tokens there

## Authentication

${api.section('## Keys')}

## Endpoints

${endpoints().join('\n')}

## POST /query

${api.section('## POST /query')}

## How to find your way

${agents.section('## What to tell a model')}

## The language

${new DocsPage('query-language.md').section('## Reference')}

## POST /track

${api.section('## POST /track')}

## POST /identify

${api.section('## POST /identify')}

## Limits of this host

Every 429 has \`Retry-After: 60\`. 0 is no limit.

${limits(config).join('\n')}

## Errors

${api.section('## Errors')}
`;
}

/** Methods, paths and what they do, from /openapi.json. */
function endpoints(): string[] {
  const lines: string[] = [];
  for (const [path, methods] of fieldsOf(describeApi()['paths'])) {
    for (const [method, operation] of fieldsOf(methods)) {
      const summary = new Map(fieldsOf(operation)).get('summary');
      if (typeof summary === 'string') lines.push(`- \`${method.toUpperCase()} ${path}\`: ${summary}`);
    }
  }
  return lines;
}

function fieldsOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** The settings that a client can run into. */
const TOLD = [
  'bodyLimit',
  'batchLimit',
  'bulkLimit',
  'lineLimit',
  'bodyTimeout',
  'eventsPerMinute',
  'queryTimeout',
  'queryLength',
  'queryMemory',
  'queryGroups',
  'queriesPerMinute',
  'queryConcurrency',
  'queryWait',
  'authFailuresPerMinute',
] as const satisfies readonly (keyof Config)[];

function limits(config: Config): string[] {
  return TOLD.map((key) => {
    const value = config[key];
    const { type, help } = SETTINGS[key];
    if (type.name === 'size') return `- ${bytes(value)}: ${help}`;
    return `- ${type.name === 'duration' ? duration(value) : whole(value)}: ${help}`;
  });
}
