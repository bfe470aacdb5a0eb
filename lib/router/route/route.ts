/** Routes. Each is its path, what it takes and answers, and its handler in one place: the service and /openapi.json are made of them. */
import type { RequestHandler } from '../http/request.ts';
import type { RouterContext } from '../context.ts';
import type { Openness } from '../http/cors.ts';
import { errors, type Status } from './error-answers.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** By path, as OpenAPI writes it (`/api/orgs/{orgID}`), and method. Of paths that fit a request, the first one counts. */
export type Routes = Readonly<Record<string, Partial<Readonly<Record<Method, Operation>>>>>;

/** What happens for a method of a path. */
export interface Operation extends Serving {
  /** null: it is for people and their browsers. */
  readonly shown: Shown | null;
}

interface Serving {
  /** Makes the handler, from the services that it uses. Its rejection becomes an error answer. */
  readonly handler: (services: RouterContext) => RequestHandler;
  /** How pages of any origin may call it; missing: not at all. */
  readonly open?: Openness;
  /** False where a GET changes something, which mere link checkers must not trigger; else HEAD is answered like GET. */
  readonly head?: false;
}

/** Who may call an operation, and under which heading it is shown. */
export interface Callers {
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
}

export const SESSION_ACCESS: Callers = { tags: ['session'], security: [{ session: [] }] };
export const ADMIN_ACCESS: Callers = { tags: ['admin'], security: [{ adminKey: [] }] };
export const OPERATOR_ACCESS: Callers = { tags: ['operator'], security: [{ operatorKey: [] }] };

/** What an operation takes and answers. */
export interface Call {
  /** Besides those of the path. */
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  /** The answer with status 200. */
  readonly ok?: unknown;
  /** Other successful answers, by status. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Statuses of errors besides the usual ones. */
  readonly fails?: readonly Status[];
}

/** An operation as /openapi.json shows it, but for its usual errors. */
export interface Shown extends Callers {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** An operation from who may call it, its id and what it does. */
export function operation(
  { tags, security }: Callers,
  operationId: string,
  summary: string,
  { handler, open, head, ok, answers, fails = [], ...rest }: Call & Serving,
): Operation {
  const responses = { ...(ok !== undefined && { '200': ok }), ...answers, ...errors(...fails) };
  const shown = { operationId, summary, tags, security, ...rest, responses };
  return { shown, handler, ...(open !== undefined && { open }), ...(head !== undefined && { head }) };
}

/** The body of a request in JSON. */
export function jsonContent(schema: object, required = true): unknown {
  return { required, content: { 'application/json': { schema } } };
}
