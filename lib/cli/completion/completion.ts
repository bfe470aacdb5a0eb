import { unseenGlobals } from '../client/unseen-globals.ts';
import { defineCommand } from '../command.ts';
import { COMPLETION_SCRIPTS, SHELLS } from './scripts.ts';

export const completion = defineCommand({
  usage: 'completion <shell>',
  summary: 'Print a script that lets a shell complete commands, options and names of events',
  examples: [
    ['source <(wl completion bash)', 'in ~/.bashrc; for zsh the same in ~/.zshrc'],
    ['wl completion fish > ~/.config/fish/completions/wl.fish', 'once'],
  ],
  shared: unseenGlobals(),
  options: { shell: { choices: SHELLS, demandOption: true, describe: 'Which shell' } },
  run: async ({ shell }, terminal) => {
    terminal.print(COMPLETION_SCRIPTS[shell]);
    return 0;
  },
});
