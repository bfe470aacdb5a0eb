import { Interrupted } from './client-error.ts';

/** Where prompts are drawn: stdout is for data. */
export interface PromptContext {
  readonly output: NodeJS.WritableStream;
}

/** Asks on the terminal. Ctrl-C there ends the program as it does elsewhere. */
export async function ask<T>(question: (context: PromptContext) => Promise<T>): Promise<T> {
  try {
    return await question({ output: process.stderr });
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') throw new Interrupted('SIGINT');
    throw error;
  }
}
