/** Prompts at the terminal, on stderr: stdout is for data. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printable } from '../text.ts';
import { Interrupted, ClientError } from './client-error.ts';
import type { ClientSession } from './client-command.ts';

export interface Prompt {
  readonly message: string;
  /** The default for an empty line; shown. */
  readonly initial?: string;
  /** True: typing is not shown. */
  readonly hidden?: boolean;
  /** What is wrong with an answer, or null. Shown, then asked again. */
  readonly problemOf?: (text: string) => string | null;
}

/** The trimmed answer. Throws Interrupted at Ctrl-C and Ctrl-D. */
export async function prompt({ problemOf = () => null, ...question }: Prompt): Promise<string> {
  for (;;) {
    const text = await askOnce(question);
    const problem = problemOf(text);
    if (problem === null) return text;
    process.stderr.write(`${printable(problem)}\n`);
  }
}

async function askOnce({ message, initial = '', hidden = false }: Prompt): Promise<string> {
  const prompt = `${printable(message)} ${initial === '' ? '' : `(${printable(initial)}) `}`;
  const text = await (hidden ? readHidden(prompt) : readLine(process.stderr, prompt));
  return text.trim() || initial;
}

/** The line editor's output is dropped; while it runs, the terminal does not echo keys. */
async function readHidden(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = readLine(nowhere, '');
  process.stderr.write(prompt);
  try {
    return await line;
  } finally {
    process.stderr.write('\n');
  }
}

function readLine(output: Writable, prompt: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  return new Promise((resolve, reject) => {
    lines.once('close', () => reject(new Interrupted('SIGINT'))); // no effect after an answer
    lines.question(prompt, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** Whom to ask before something irreversible. */
type Asked = Pick<ClientSession, 'globals' | 'terminal'>;

/** Throws ClientError unless the user agrees, by `--yes` or at a terminal. */
export async function confirm(question: string, asked: Asked): Promise<void> {
  if (asked.globals.yes) return;
  mustBeAsked(question, asked);
  const answer = await prompt({ message: `${question} (y/N)` });
  if (!/^y(es)?$/i.test(answer)) throw new ClientError('Canceled. Nothing was changed.');
}

/** Like `confirm`, but the user must type `text`. Returns what was typed. */
export async function confirmByTyping(text: string, question: string, asked: Asked): Promise<string> {
  if (asked.globals.yes) return text;
  mustBeAsked(question, asked);
  const typed = await prompt({ message: `${question} Type its name to continue:` });
  if (typed !== text) throw new ClientError('The name does not match. Nothing was changed.');
  return typed;
}

/** Throws ClientError without `--yes` if nobody can be asked. Call it before the first request, if the prompt needs one. */
export function mustBeAsked(question: string, { globals, terminal }: Asked): void {
  if (globals.yes || (process.stdin.isTTY && terminal.stderr.isTTY === true)) return;
  const hint = 'There is no terminal to prompt on: use --yes. Nothing was changed.';
  throw new ClientError(`Not confirmed: ${question}`, [hint]);
}
