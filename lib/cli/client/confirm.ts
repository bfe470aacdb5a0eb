/** Confirmation before something irreversible. */
import type { Terminal } from '../terminal.ts';
import { ClientError } from './client-error.ts';
import { ask } from './prompt.ts';

/** Throws ClientError unless the user agrees, by `--yes` or at a terminal. */
export async function confirm(
  question: string,
  { yes, terminal }: { yes: boolean; terminal: Terminal },
): Promise<void> {
  if (yes) return;
  mustBeAsked(question, { yes, terminal });
  const answer = await ask({ message: `${question} (y/N)` });
  if (!/^y(es)?$/i.test(answer)) throw new ClientError('Canceled. Nothing was changed.');
}

/** Like `confirm`, but the user must type `text`. Returns what was typed. */
export async function confirmByTyping(
  text: string,
  { question, yes, terminal }: { question: string; yes: boolean; terminal: Terminal },
): Promise<string> {
  if (yes) return text;
  mustBeAsked(question, { yes, terminal });
  const typed = await ask({ message: `${question} Type its name to continue:` });
  if (typed !== text) throw new ClientError('The name does not match. Nothing was changed.');
  return typed;
}

/** Throws ClientError without `--yes` if nobody can be asked. Call it before the first request, if the prompt needs one. */
export function mustBeAsked(question: string, { yes, terminal }: { yes: boolean; terminal: Terminal }): void {
  if (yes || (process.stdin.isTTY && terminal.stderr.isTTY === true)) return;
  const hint = 'There is no terminal to prompt on: use --yes. Nothing was changed.';
  throw new ClientError(`Not confirmed: ${question}`, [hint]);
}
