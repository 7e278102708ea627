import { ContainerEngine, type EngineName } from '@agents/local-node'
import { CommandFailure } from '../cli/command-failure.ts'

/** In which runs run that name no image of their own. */
export const localRunnerImage = 'agents.local/agent-runner:local'

type Environment = Readonly<Record<string, string | undefined>>

/** Refuses a program that runs no containers. Answers with the image that it lacks for runs that name none. */
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
    throw new CommandFailure(`${name} runs no containers here: ${cause.message}`, {
      cause,
      advice: [
        `Look at what this says: ${name} info`,
        'Without --container-runtime pods run as processes, which needs nothing.',
      ],
    })
  })
  const isNamed = (environment.JANGAR_AGENT_RUNNER_IMAGE ?? '') !== ''
  const isThere = isNamed || (await engine.image(localRunnerImage)) !== undefined
  return { missingImage: isThere ? undefined : localRunnerImage }
}

/** Where the engine's program finds its settings, its daemon and the way to registries; nothing of it reaches a pod. */
export function engineEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && ofEngine.test(name) ? [[name, value] as const] : [],
    ),
  )
}

const ofEngine =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|LANG|LC_ALL|REGISTRY_AUTH_FILE|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|SSL_CERT_(FILE|DIR)|(XDG|DOCKER|CONTAINERS?|STORAGE)_\w+|(https?|all|no)_proxy)$/i
