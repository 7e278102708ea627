import { inRoot } from './change-user.ts'

interface ContainerEntry extends JoiningCommand {
  readonly variables: Readonly<Record<string, string>>
}

interface JoiningCommand {
  readonly root: string
  readonly user: number | undefined
  readonly workingDir: string
  readonly command: readonly string[]
}

/**
 * Runs a container's command below its root, as its user. Until the user is changed, programs of the machine run as
 * root, and the container's variables (`LD_PRELOAD`, `PATH`, …) must not affect them. They are therefore passed under
 * other names, and not as arguments, which every user can read. The first program of the container, already running
 * as its user, restores their names.
 */
export function enterContainer({ root, user, variables, workingDir, command }: ContainerEntry): {
  command: string[]
  environment: Record<string, string>
} {
  const named = Object.entries(variables).filter(([name]) => isShellName(name))
  const values = named.map(([, value], index) => [`_AGENTS_VALUE_${index}`, value] as const)
  return {
    command: joinContainer({ root, user, workingDir, command }),
    environment: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      _AGENTS_NAMES: named.map(([name]) => name).join(' '),
      ...Object.fromEntries(values),
    },
  }
}

/**
 * The command line for another command below the root of a running container, as its user. Its environment must be the
 * one that `enterContainer` returned for the container.
 */
export function joinContainer({ root, user, workingDir, command }: JoiningCommand): string[] {
  return inRoot(root, user, ['/bin/sh', '-c', script, 'sh', workingDir, ...command])
}

/** A shell keeps no other variables, and names with our prefix would break the script. */
function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !name.toLowerCase().startsWith('_agents_')
}

// Some shells do not allow their own variables to be unset: `command` keeps that from ending the script.
const script = `
_agents_at=0
for _agents_name in $_AGENTS_NAMES; do
  eval "_agents_value=\\$_AGENTS_VALUE_$_agents_at"
  unset "_AGENTS_VALUE_$_agents_at"
  command export "$_agents_name=$_agents_value" 2>/dev/null || :
  _agents_at=$((_agents_at + 1))
done
unset _AGENTS_NAMES
cd -- "$1" 2>/dev/null || { command -p mkdir -p -- "$1" && cd -- "$1"; } || exit 126
shift
exec "$@"
`
