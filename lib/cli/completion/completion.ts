import { unseenGlobals } from '../client/global-options.ts';
import { defineCommand } from '../command.ts';

/** The scripts with which shells ask `wl` for completions. */
const BASH = `# bash completion of wl. Put into ~/.bashrc: source <(wl completion bash)
_wl() {
  local reply line
  reply=$("$1" __complete bash "\${COMP_LINE:0:COMP_POINT}" "\${COMP_WORDS[COMP_CWORD]}" 2>/dev/null) || return
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done <<<"$reply"
  case "\${COMPREPLY[0]}" in
    files) compopt -o default 2>/dev/null ;;
    partial) compopt -o nospace 2>/dev/null ;;
  esac
  COMPREPLY=("\${COMPREPLY[@]:1}")
}
complete -o nosort -F _wl wl 2>/dev/null || complete -F _wl wl
`;

const ZSH = `#compdef wl
# zsh completion of wl. Put into ~/.zshrc: source <(wl completion zsh)
# or into a file _wl of a folder of $fpath: wl completion zsh > ~/.zfunc/_wl
_wl() {
  local -a lines values shown
  local line
  lines=("\${(@f)$("\${words[1]}" __complete zsh "\${(j: :)words[1,CURRENT-1]} \${IPREFIX}\${QIPREFIX}\${PREFIX}" 2>/dev/null)}")
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    if [[ "$line" == *$'\\t'* ]]; then shown+=("\${line%%$'\\t'*}  -- \${line#*$'\\t'}"); else shown+=("$line"); fi
  done
  case "\${lines[1]}" in
    files) _files ;;
    partial) (( \${#values} )) && compadd -S '' -l -d shown -a values ;;
    words) (( \${#values} )) && compadd -l -d shown -a values ;;
  esac
}
if [ "\${funcstack[1]}" = _wl ]; then _wl "$@"; elif (( \${+functions[compdef]} )); then compdef _wl wl; fi
`;

const FISH = `# fish completion of wl. Put into a file: wl completion fish > ~/.config/fish/completions/wl.fish
function __wl_complete
    set -l words (commandline -opc)
    set -l lines ($words[1] __complete fish (commandline -cp) 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path (commandline -ct)
        case words partial
            printf '%s\\n' $lines[2..]
    end
end
complete --command wl --no-files --arguments '(__wl_complete)'
`;

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

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
