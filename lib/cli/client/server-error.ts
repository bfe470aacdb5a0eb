import { ServerError } from './client-error.ts';
import type { Answer } from './attempt.ts';
import { keyHints, type KeyNeed } from './key-need.ts';
import { masked, type Found } from './settings.ts';

/** The error in an unsuccessful answer. `key` is what was sent. */
export function serverError(
  answer: Answer,
  { host, need, key }: { host: string; need: KeyNeed | null; key: Found | null },
): ServerError {
  const { status } = answer;
  const body = parsed(answer.body);
  const code = typeof body['code'] === 'string' ? body['code'] : null;
  const position = typeof body['position'] === 'number' ? body['position'] : null;
  const message = typeof body['error'] === 'string' ? body['error'] : foreignMessage(answer, host);
  const hints = (Array.isArray(body['hints']) ? body['hints'] : []).filter(
    (hint): hint is string => typeof hint === 'string' && !message.includes(hint),
  );
  const isAboutKey = status === 401 || (status === 403 && code !== 'limit_reached' && code !== 'suspended');
  if (need !== null && isAboutKey) {
    hints.push(...keyHints(need, message));
    if (key !== null) hints.push(`The key that was sent, ${masked(key.value)}, is from ${key.where}.`);
  }
  return new ServerError(message, { status, code, position, hints, taken: takenOf(body) });
}

function takenOf({ accepted, line }: Readonly<Record<string, unknown>>): ServerError['taken'] {
  return typeof accepted === 'number' && typeof line === 'number' ? { accepted, line } : null;
}

/** For something between us and the server, or another program. */
function foreignMessage(answer: Answer, host: string): string {
  const { status, statusText } = answer;
  const location = answer.header('location');
  if (status >= 300 && status < 400 && location !== null) {
    return `${host} has moved to ${location}: set the host to where it is now. Keys are not sent after redirects.`;
  }
  return `${host} answered ${status} ${statusText} and does not look like a Windlass server. Check the host.`;
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // not our server's answer
  }
}
