import { StreamFailure } from '@agents/kube'
import { joinContainer } from '../container/container-entry.ts'
import type { ContainerEngine } from '../container/engine/engine.ts'
import type { RunningContainer } from '../container/running-container.ts'

export interface JoiningLine {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

interface Joining {
  readonly command: readonly string[]
  readonly stdin: boolean
  readonly tty: boolean
  /** A variable of the command by which its processes can be found. */
  readonly marker: readonly [name: string, value: string]
}

/** The command line that runs a command beside the processes of a container, with their environment and user. */
export async function joiningLine(
  container: RunningContainer,
  joining: Joining,
  engine: ContainerEngine | undefined,
): Promise<JoiningLine> {
  if (container.engineName !== undefined && engine !== undefined) {
    return inEngine(container.engineName, joining, engine)
  }
  const environment = await container.environment()
  const { place } = container
  if (environment === undefined || place === undefined) {
    throw new StreamFailure(
      500,
      'the container was started by an earlier node, and its environment is unknown here',
    )
  }
  const { command, marker } = joining
  const marked = { ...environment, [marker[0]]: marker[1] }
  const { root, user, workingDir } = place
  if (root === undefined) {
    const line = ['/bin/sh', '-c', 'cd -- "$1" || exit 126; shift; exec "$@"', 'sh', workingDir]
    return { command: [...line, ...command], environment: marked }
  }
  const joined = joinContainer({ root, user, workingDir, command })
  const enter = ['/usr/bin/nsenter', '--target', String(container.pid), '--mount', '--']
  return { command: [...enter, ...joined], environment: marked }
}

function inEngine(
  name: string,
  { command, stdin, tty, marker }: Joining,
  engine: ContainerEngine,
): JoiningLine {
  const flags = [
    ...(stdin ? ['--interactive'] : []),
    ...(tty ? ['--tty'] : []),
    ...['--env', marker.join('=')],
  ]
  return {
    command: [engine.name, 'exec', ...flags, name, ...command],
    environment: engine.environment,
  }
}
