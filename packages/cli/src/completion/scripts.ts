// SPDX-License-Identifier: Apache-2.0
/**
 * The completion scripts: each asks `palisade __complete`, whose lines are `VALUE<TAB>DESCRIPTION`; a last line `:file` or `:folder` lets
 * the shell complete a path.
 */

const BASH = `# bash completion for palisade: source <(palisade completion bash)
_palisade() {
  local line paths= program=\${COMP_WORDS[0]}
  [[ $program = '~/'* ]] && program=$HOME/\${program#'~/'}
  command -v -- "$program" >/dev/null || program=palisade
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) paths=\${line#:} ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("$program" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  local word=\${COMP_WORDS[COMP_CWORD]}
  [ "$word" = = ] && word=
  case $paths in
    file) COMPREPLY=(); compopt -o default ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
  esac
}
complete -F _palisade palisade
`;

const ZSH = `#compdef palisade
# zsh completion for palisade: source <(palisade completion zsh)
_palisade() {
  local line paths program=$words[1]
  [[ $program = '~/'* ]] && program=$HOME/\${program#'~/'}
  command -v -- "$program" >/dev/null || program=palisade
  local -a values shown
  for line in "\${(@f)$("$program" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :*) paths=\${line#:} ;;
      *) values+=("\${line%%$'\\t'*}"); shown+=("\${line//$'\\t'/  -- }") ;;
    esac
  done
  case $paths in
    file) _files ;;
    folder) _files -/ ;;
    *) (( $#values )) && compadd -l -d shown -- "\${values[@]}" ;;
  esac
}
(( $+functions[compdef] )) && compdef _palisade palisade
`;

const FISH = `# fish completion for palisade: palisade completion fish | source
function __palisade_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
  type -q $program; or set program palisade
  for line in ($program __complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case ':file' ':folder'
        __fish_complete_path (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c palisade -f -a '(__palisade_complete)'
`;

export const SCRIPTS = {bash: BASH, zsh: ZSH, fish: FISH} as const;
export type Shell = keyof typeof SCRIPTS;
export const isShell = (word: string): word is Shell => Object.hasOwn(SCRIPTS, word);
