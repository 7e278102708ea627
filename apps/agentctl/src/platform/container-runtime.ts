import { ContainerEngine, type EngineName } from '@agents/local-node'
import { CommandFailure } from '../cli/command-failure.ts'

/** The image of runs that name none. */
export const localRunnerImage = 'agents.local/agent-runner:local'

type Environment = Readonly<Record<string, string | undefined>>

/** Checks that a container engine works. Returns the default image of runs if the engine does not have it. */
export async function examineRuntime(
  name: EngineName,
  environment: Environment,
): Promise<{ readonly missingImage: string | undefined }> {
  const engine = new ContainerEngine({
    name,
    environment: engineEnvironment(environment),
    labels: [],
  })
  await engine.version().catch((cause: Error) => {
    throw new CommandFailure(`${name} cannot run containers here: ${cause.message}`, {
      cause,
      advice: [
        `For the reason, run: ${name} info`,
        'Without --container-runtime, pods run as processes and no container engine is needed.',
      ],
    })
  })
  const isNamed = (environment.JANGAR_AGENT_RUNNER_IMAGE ?? '') !== ''
  const isThere = isNamed || (await engine.image(localRunnerImage)) !== undefined
  return { missingImage: isThere ? undefined : localRunnerImage }
}

/** The variables with which the engine finds its settings, its daemon and registries. Pods do not get them. */
export function engineEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && ofEngine.test(name) ? [[name, value] as const] : [],
    ),
  )
}

const ofEngine =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|LANG|LC_ALL|REGISTRY_AUTH_FILE|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|SSL_CERT_(FILE|DIR)|(XDG|DOCKER|CONTAINERS?|STORAGE)_\w+|(https?|all|no)_proxy)$/i
