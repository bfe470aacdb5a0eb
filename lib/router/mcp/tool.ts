/** What a tool is: its name and arguments as clients see them, who may use it, and what it does. */
import type { ServerResponse } from 'node:http';
import type { CallToolResult, JSONObject, Tool as ShownTool, ToolAnnotations } from '@modelcontextprotocol/server';
import { AppError } from '../../base/errors.ts';
import type { Credential, Scope } from '../../control/types.ts';
import type { ProjectCredential } from '../auth/credentials.ts';
import type { RouterContext } from '../context.ts';
import type { Deadline } from '../http/deadline.ts';
import type { Request } from '../http/request.ts';
import { JsonBody } from '../route/json-body.ts';

/** Whom tools are for: keys of projects and of organizations. */
export type Caller = Exclude<Credential, { readonly kind: 'operator' }>;

/** A message, and whose it is. */
export interface ToolCall {
  readonly services: RouterContext;
  readonly request: Request;
  readonly response: ServerResponse;
  readonly credential: Caller;
  /** Whether the connection may store events: `?write=true`. */
  readonly writes: boolean;
  /** When it arrived, milliseconds since the epoch. */
  readonly arrival: number;
  /** Of all that it asks for. */
  readonly deadline: Deadline;
}

/** Arguments: the schema of each, and the message for a value that does not match. */
type Arguments = Readonly<Record<string, { readonly schema: JSONObject; readonly must: string }>>;

interface Described<A> {
  readonly name: string;
  readonly description: string;
  readonly required?: readonly (keyof A & string)[];
  readonly takes: Arguments;
  readonly annotations: ToolAnnotations;
}

interface ProjectTool<A> extends Described<A> {
  readonly scope: Scope;
  /** Only with `?write=true`. */
  readonly writes?: true;
  readonly run: (call: ToolCall, args: A, credential: ProjectCredential) => Promise<CallToolResult>;
}

interface OrganizationTool<A> extends Described<A> {
  readonly run: (call: ToolCall, args: A, orgId: string) => Promise<CallToolResult>;
}

export interface Tool {
  readonly shown: ShownTool;
  /** Whether a caller sees it. */
  readonly isFor: (call: ToolCall) => boolean;
  /** Rejects with AppError: 401 and 403 for who may not use it, 400 for wrong arguments, and what it fails with. */
  readonly run: (call: ToolCall, args: unknown) => Promise<CallToolResult>;
}

/** Annotations of what changes nothing. Nothing here reaches beyond the project. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** A tool for keys of projects that have a scope. */
export function projectTool<A>({ scope, writes, run, ...described }: ProjectTool<A>): Tool {
  const { shown, body } = bodyOf(described);
  return {
    shown,
    isFor: ({ credential, writes: may }) =>
      credential.kind !== 'org_admin' && credential.scopes.includes(scope) && (writes === undefined || may),
    run: async (call, args) => {
      const { services, request } = call;
      const { ip } = services.clients.of(request);
      const credential = await services.gatekeeper.admit(request, { scope, ip, where: 'header' });
      services.load.admitted(request, credential.project.id);
      if (writes !== undefined && !call.writes) throw readsOnly();
      return run(call, await body.checked(args), credential);
    },
  };
}

/** A tool for the admin keys of organizations. */
export function organizationTool<A>({ run, ...described }: OrganizationTool<A>): Tool {
  const { shown, body } = bodyOf(described);
  return {
    shown,
    isFor: ({ credential }) => credential.kind === 'org_admin',
    run: async (call, args) => {
      const { gatekeeper, clients } = call.services;
      const orgId = await gatekeeper.admitOrganization(call.request, clients.of(call.request).ip);
      return run(call, await body.checked(args), orgId);
    },
  };
}

function bodyOf<A>({ name, description, required = [], takes, annotations }: Described<A>) {
  const properties = Object.fromEntries(Object.entries(takes).map(([field, { schema }]) => [field, schema]));
  const expected = Object.fromEntries(Object.entries(takes).map(([field, { must }]) => [`/${field}`, must]));
  const body = new JsonBody<A>(`mcp_${name}`, { required, properties }, expected);
  const inputSchema = { type: 'object' as const, properties, ...(required.length > 0 && { required: [...required] }) };
  return { body, shown: { name, description, inputSchema, annotations } };
}

function readsOnly(): AppError {
  return new AppError('forbidden', 'This connection may only read.', {
    hints: ['To let it store events, add ?write=true to the address of /mcp, or start `wl mcp --write`.'],
  });
}
