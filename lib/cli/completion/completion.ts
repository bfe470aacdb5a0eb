import { unseenGlobals } from '../client/unseen-globals.ts';
import { defineCommand } from '../command.ts';
import { COMPLETION_SCRIPTS, SHELLS } from './scripts.ts';

export const completion = defineCommand({
  usage: 'completion <shell>',
  summary: 'Print a shell script that completes commands, options and event names',
  examples: [
    ['source <(wl completion bash)', 'in ~/.bashrc, or the same with zsh in ~/.zshrc'],
    ['wl completion fish > ~/.config/fish/completions/wl.fish', 'once'],
  ],
  shared: unseenGlobals(),
  options: { shell: { choices: SHELLS, demandOption: true, describe: 'The shell' } },
  run: async ({ shell }, terminal) => {
    terminal.print(COMPLETION_SCRIPTS[shell]);
    return 0;
  },
});
