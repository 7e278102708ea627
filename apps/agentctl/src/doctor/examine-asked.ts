import { systemClock } from '@agents/controller'
import { customResourceDefinition } from '@agents/crd'
import type { Finding, ReleaseQuestions } from '@agents/jangar'
import type { KubeClient } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import type { World } from '../cli/world.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { platformKinds } from '../cluster/known-kinds.ts'
import { type Cluster, openCluster } from '../cluster/open-cluster.ts'
import { checkPermissions } from './check-cluster.ts'

export interface AskedValues extends ClusterValues {
  readonly http: readonly string[]
  readonly grpc: readonly string[]
  readonly rbac: boolean
  readonly rules: string | undefined
  readonly crds: boolean
  readonly timeout: string | undefined
}

/** Whether the command line asks for checks of its own. */
export function asksForChecks({ http, grpc, rbac, crds }: AskedValues): boolean {
  return http.length > 0 || grpc.length > 0 || rbac || crds
}

/** Only what the command line asks for. The cluster is opened only where that needs it. */
export async function examineAsked(values: AskedValues, world: World): Promise<readonly Finding[]> {
  // Loaded here: it is the whole service, and no other command needs it.
  const { examineRelease, ...jangar } = await import('@agents/jangar')
  const { rules, rbac, crds, timeout } = values
  if (rules !== undefined && !rbac) throw usageFailure('--rules says nothing without --rbac')
  const questions = understood(
    (): ReleaseQuestions => ({
      http: values.http.map(jangar.readinessUrl),
      grpc: values.grpc.map(jangar.grpcAddress),
      grants: rules === undefined ? undefined : jangar.parseGrants(rules),
      definitions: crds ? platformKinds.map(customResourceDefinition) : undefined,
    }),
  )
  let cluster: Cluster | undefined
  const opened = async (): Promise<Cluster> => {
    cluster ??= await openCluster(values, world)
    return cluster
  }
  try {
    const findings = await examineRelease(questions, {
      openClient: async (): Promise<KubeClient> => (await opened()).client,
      clock: systemClock,
      timeoutMs: timeout === undefined ? 0 : parseDuration('--timeout', timeout),
      signal: world.stop,
    })
    if (!rbac || rules !== undefined) return findings
    const { client, namespace } = await opened()
    return [...findings, await checkPermissions({ client, namespace, signal: world.stop })]
  } finally {
    cluster?.client.close()
  }
}

function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw usageFailure(error instanceof Error ? error.message : String(error))
  }
}
