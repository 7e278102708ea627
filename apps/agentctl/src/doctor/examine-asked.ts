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

/** Whether the command line asks for checks of its own. Throws where it says how, and not for which. */
export function asksForChecks({ http, grpc, rbac, crds, rules, timeout }: AskedValues): boolean {
  if (rules !== undefined && !rbac) throw usageFailure('--rules says nothing without --rbac')
  const isAsked = http.length > 0 || grpc.length > 0 || rbac || crds
  if (timeout !== undefined && !isAsked) {
    throw usageFailure('--timeout needs to know what to wait for: --http, --grpc, --rbac or --crds')
  }
  return isAsked
}

/** Only what the command line asks for. The cluster is opened only where that needs it. */
export async function examineAsked(values: AskedValues, world: World): Promise<readonly Finding[]> {
  // Loaded here: it is the whole service, and no other command needs it.
  const { examineRelease, ...jangar } = await import('@agents/jangar')
  const { rules, rbac, crds, timeout } = values
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
    const signal = world.stop
    const timeoutMs = timeout === undefined ? 0 : parseDuration('--timeout', timeout)
    const patience = { clock: systemClock, timeoutMs, signal }
    const openClient = async (): Promise<KubeClient> => (await opened()).client
    const findings = await examineRelease(questions, { openClient, ...patience })
    if (!rbac || rules !== undefined) return findings
    const { client, namespace } = await opened()
    const check = () => checkPermissions({ client, namespace, signal })
    return [...findings, await jangar.untilGood(check, patience)]
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
