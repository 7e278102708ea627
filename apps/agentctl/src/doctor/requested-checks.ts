import { systemClock } from '@agents/controller'
import { customResourceDefinition } from '@agents/crd'
import type { Finding, ReleaseQuestions } from '@agents/jangar'
import type { KubeClient } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { declaredKinds } from '../cluster/declared-kinds.ts'
import { type Cluster, openCluster } from '../cluster/open-cluster.ts'

export interface DoctorValues extends ClusterValues {
  readonly http: readonly string[]
  readonly grpc: readonly string[]
  readonly rbac: boolean
  readonly rules: string | undefined
  readonly crds: boolean
  readonly timeout: string | undefined
}

/** Whether the command line selects checks. Throws if it has options of checks but selects none. */
export function requestsChecks({ http, grpc, rbac, crds, rules, timeout }: DoctorValues): boolean {
  if (rules !== undefined && !rbac) throw usageFailure('--rules requires --rbac')
  const isRequested = http.length > 0 || grpc.length > 0 || rbac || crds
  if (timeout !== undefined && !isRequested) {
    throw usageFailure('--timeout requires at least one of --http, --grpc, --rbac and --crds')
  }
  return isRequested
}

/** Runs the checks that the command line selects. The cluster is contacted only if one of them needs it. */
export async function runRequestedChecks(
  values: DoctorValues,
  context: CommandContext,
): Promise<readonly Finding[]> {
  // Loaded here: it is a whole service, and no other command needs it.
  const { examineRelease, ...jangar } = await import('@agents/jangar')
  const { rules, rbac, crds, timeout } = values
  const questions = understood(
    (): ReleaseQuestions => ({
      http: values.http.map(jangar.readinessUrl),
      grpc: values.grpc.map(jangar.grpcAddress),
      grants: rules === undefined ? undefined : jangar.parseGrants(rules),
      definitions: crds ? declaredKinds.map(customResourceDefinition) : undefined,
    }),
  )
  let cluster: Cluster | undefined
  const opened = async (): Promise<Cluster> => {
    cluster ??= await openCluster(values, context)
    return cluster
  }
  try {
    const signal = context.stop
    const timeoutMs = timeout === undefined ? 0 : parseDuration('--timeout', timeout)
    const retryOptions = { clock: systemClock, timeoutMs, signal }
    const openClient = async (): Promise<KubeClient> => (await opened()).client
    const findings = await examineRelease(questions, { openClient, ...retryOptions })
    if (!rbac || rules !== undefined) return findings
    const { client, namespace } = await opened()
    const check = () => jangar.checkPermissions({ client, namespace, signal })
    return [...findings, await jangar.untilGood(check, retryOptions)]
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
