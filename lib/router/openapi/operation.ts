/** An operation of /openapi.json: who may call it, what it takes, and how it answers. */
import { errors, type Status } from './errors.ts';
import { KEYED } from './parts.ts';

/** Who may call it, and under which heading. */
export interface Door {
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
}

export const SESSION: Door = { tags: ['session'], security: [{ session: [] }] };
export const ADMIN: Door = { tags: ['admin'], security: [{ adminKey: [] }] };

/** What an operation takes, and how it answers. */
interface Call {
  readonly parameters?: readonly unknown[];
  /** The schema of its body in JSON. */
  readonly takes?: unknown;
  readonly requestBody?: unknown;
  /** The answer with status 200. */
  readonly ok?: unknown;
  /** Other successful answers, by status. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Statuses of errors besides the usual ones. */
  readonly fails?: readonly Status[];
}

/** An operation as the document has it. */
export interface Operation extends Door {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** A path: its own parameters, and its operations by method. */
export type PathItem = { readonly parameters?: readonly unknown[] } & Partial<
  Readonly<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>
>;

/** An operation from who may call it, its id and what it does. */
export function operation(door: Door, operationId: string, summary: string, call: Call): Operation {
  const { takes, ok, answers, fails = [], ...rest } = call;
  return {
    operationId,
    summary,
    ...door,
    ...rest,
    ...(takes !== undefined && { requestBody: { required: true, content: { 'application/json': { schema: takes } } } }),
    responses: { ...(ok !== undefined && { '200': ok }), ...answers, ...errors(...fails) },
  };
}

/** Adds the errors that follow from who may call an operation, from its method and path, and from what it takes. */
export function withUsualErrors(paths: Readonly<Record<string, PathItem>>): Readonly<Record<string, unknown>> {
  const whole = (path: string, { parameters, ...methods }: PathItem): object => ({
    ...(parameters && { parameters }),
    ...Object.fromEntries(Object.entries(methods).map(([method, of]) => [method, withUsual(path, method, of)])),
  });
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, whole(path, item)]));
}

function withUsual(path: string, method: string, operation: Operation): Operation {
  const { security, parameters = [], requestBody, responses } = operation;
  const usual: Status[] = requestBody === undefined ? [] : [400, 413];
  if (security.length > 0) {
    usual.push(401, 429);
    if (parameters !== KEYED.parameters && parameters.length > 0) usual.push(400);
    if (security !== SESSION.security || method !== 'get' || path.includes('{projectID}')) usual.push(403);
    if (path.includes('{') && method !== 'put') usual.push(404); // a PUT may create it
  }
  return { ...operation, responses: { ...responses, ...errors(...usual) } };
}
