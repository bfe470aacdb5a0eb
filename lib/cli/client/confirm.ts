/** Questions before something is done that cannot be undone. */
import type { Terminal } from '../terminal.ts';
import { ClientError } from './client-error.ts';
import { ask } from './prompt.ts';

/** Throws ClientError unless the user agrees: by `--yes`, or at a terminal. */
export async function confirm(
  question: string,
  { yes, terminal }: { yes: boolean; terminal: Terminal },
): Promise<void> {
  if (yes) return;
  mustBeInteractive(terminal, question);
  const agreed = await ask(async (context) => {
    const { confirm: prompt } = await import('@inquirer/prompts');
    return prompt({ message: question, default: false }, context);
  });
  if (!agreed) throw new ClientError('Nothing was done.');
}

/** As `confirm`, but the user must type `text`. Answers what was typed. */
export async function confirmByTyping(
  text: string,
  { question, yes, terminal }: { question: string; yes: boolean; terminal: Terminal },
): Promise<string> {
  if (yes) return text;
  mustBeInteractive(terminal, question);
  const typed = await ask(async (context) => {
    const { input } = await import('@inquirer/prompts');
    return input({ message: `${question} Type its name to go on:` }, context);
  });
  if (typed !== text) throw new ClientError('This is another name. Nothing was done.');
  return typed;
}

function mustBeInteractive({ stderr }: Terminal, question: string): void {
  if (process.stdin.isTTY && stderr.isTTY === true) return;
  throw new ClientError(`Not confirmed: ${question}`, [
    'Without a terminal to ask on, --yes is needed. Nothing was done.',
  ]);
}
