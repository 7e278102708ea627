import type { Container, Pod } from '@agents/kube'
import { ConfigError } from './config-error.ts'

interface SecurityContext {
  runAsUser?: number | bigint
  runAsNonRoot?: boolean
}

/** User of the agent, and of every container whose pod requests a user that is not reserved. */
export const agentId = 65_532

/** IDs that no user or group of the machine has. The others are for containers with the credentials of a repository. */
const reservedIds: ReadonlySet<number> = new Set([agentId, 65_533, 65_531])

/**
 * The ID of the user and group of a container; undefined if its pod requests root or no user. Processes share the
 * users of the machine, so IDs of pods are not used directly: other IDs become the agent's, and groups are ignored.
 */
export function userOf({ spec }: Pick<Pod, 'spec'>, container: Container): number | undefined {
  const { runAsUser, runAsNonRoot = false } = {
    ...(spec.securityContext as SecurityContext | undefined),
    ...(container.securityContext as SecurityContext | undefined),
  }
  if (runAsUser === undefined) return runAsNonRoot ? agentId : undefined
  const requested = Number(runAsUser)
  if (requested === 0) {
    if (!runAsNonRoot) return undefined
    throw new ConfigError(`container ${container.name} has runAsUser 0, but runAsNonRoot is true`)
  }
  return reservedIds.has(requested) ? requested : agentId
}

/** Whether any container of the pod requests a user. */
export function requestsUsers(pod: Pick<Pod, 'spec'>): boolean {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  return all.some((container) => userOf(pod, container) !== undefined)
}
