/** Checks queries of the viewer's page. */
import type { IncomingMessage } from 'node:http';
import type { Question } from '../../dashboards/run.ts';
import { isRecord } from '../../base/is-record.ts';

const MAX_BODY = 131_072; // bytes, as in POST /query
const MAX_ROWS = 10_000;

/** An error that the viewer's server answers with a status. */
export class ViewError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ViewError';
    this.status = status;
  }
}

/** Rejects with ViewError. */
export async function readQuestion(request: IncomingMessage): Promise<Question> {
  // A page of another origin cannot send this type without a preflight.
  if (request.headers['content-type']?.startsWith('application/json') !== true) throw new ViewError(415, 'Send JSON.');
  const chunks: Buffer[] = [];
  let length = 0;
  const parts: AsyncIterable<Buffer> = request;
  for await (const part of parts) {
    length += part.length;
    if (length > MAX_BODY) throw new ViewError(413, 'The query is too long.');
    chunks.push(part);
  }
  const { q, timezone = null, limit } = parsed(Buffer.concat(chunks).toString('utf8'));
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= MAX_ROWS;
  if (typeof q !== 'string' || !isLimit || !(timezone === null || typeof timezone === 'string')) {
    throw new ViewError(400, 'Send {"q", "timezone", "limit"}.');
  }
  return { q, timezone, limit };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    throw new ViewError(400, 'The body is not JSON.');
  }
}
