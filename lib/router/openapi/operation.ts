/** An operation of /openapi.json: who may call it, what it takes, and how it answers. */
import { errors, type Status } from './errors.ts';

/** Who may ask, and under which heading. */
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
  /** Other answers that are no errors, by status. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly fails?: readonly Status[];
}

/** An operation, by who may call it, its id and what it does. */
export function operation(door: Door, operationId: string, summary: string, call: Call): object {
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
