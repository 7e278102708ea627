export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/**
 * Each script calls `agentctl __complete` for the words that fit at the cursor: all shells share one implementation,
 * and names of objects come from the cluster.
 */
export function completionScript(shell: Shell): string {
  return { bash, zsh, fish }[shell]
}

const bash = `# bash completion for agentctl
_agentctl() {
  local IFS=$'\\n'
  COMPREPLY=($(agentctl __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _agentctl agentctl
`

const zsh = `#compdef agentctl
_agentctl() {
  local -a found
  found=("\${(@f)$(agentctl __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} == 0 )) || [[ -z "\${found[1]}" ]]; then
    _files
  else
    compadd -a found
  fi
}
if [ "\${funcstack[1]}" = "_agentctl" ]; then
  _agentctl "$@"
else
  compdef _agentctl agentctl
fi
`

const fish = `# fish completion for agentctl
function __agentctl_complete
  set -l words (commandline -opc) (commandline -ct)
  agentctl __complete $words[2..-1] 2>/dev/null
end
complete -c agentctl -f -a '(__agentctl_complete)'
`
