/** Confirmation before something irreversible. */
import type { Session } from './client-command.ts';
import { ClientError } from './client-error.ts';
import { ask } from './prompt.ts';

type Asked = Pick<Session, 'globals' | 'terminal'>;

/** Throws ClientError unless the user agrees, by `--yes` or at a terminal. */
export async function confirm(question: string, asked: Asked): Promise<void> {
  if (asked.globals.yes) return;
  mustBeAsked(question, asked);
  const answer = await ask({ message: `${question} (y/N)` });
  if (!/^y(es)?$/i.test(answer)) throw new ClientError('Canceled. Nothing was changed.');
}

/** Like `confirm`, but the user must type `text`. Returns what was typed. */
export async function confirmByTyping(text: string, question: string, asked: Asked): Promise<string> {
  if (asked.globals.yes) return text;
  mustBeAsked(question, asked);
  const typed = await ask({ message: `${question} Type its name to continue:` });
  if (typed !== text) throw new ClientError('The name does not match. Nothing was changed.');
  return typed;
}

/** Throws ClientError without `--yes` if nobody can be asked. Call it before the first request, if the prompt needs one. */
export function mustBeAsked(question: string, { globals, terminal }: Asked): void {
  if (globals.yes || (process.stdin.isTTY && terminal.stderr.isTTY === true)) return;
  const hint = 'There is no terminal to prompt on: use --yes. Nothing was changed.';
  throw new ClientError(`Not confirmed: ${question}`, [hint]);
}
