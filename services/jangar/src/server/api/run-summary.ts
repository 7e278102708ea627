import { agentRun, orchestrationRun, toolRun } from '@agents/jangar-api'
import { type Condition, type KindRef, type KubeObject, kindRef } from '@agents/kube'

/** An object of any run kind. */
export type AnyRun = KubeObject & {
  readonly spec?: {
    readonly agentRef?: { readonly name?: string }
    readonly orchestrationRef?: { readonly name?: string }
    readonly toolRef?: { readonly name?: string }
  }
  readonly status?: {
    readonly phase?: string
    readonly startedAt?: string
    readonly finishedAt?: string
    readonly conditions?: readonly Condition[]
    readonly vcs?: { readonly repository?: string }
  }
}

/** The run kinds, in the order in which a name without a kind is looked for. */
export const runKinds: readonly KindRef<AnyRun>[] = [
  kindRef<AnyRun>(agentRun),
  kindRef<AnyRun>(orchestrationRun),
  kindRef<AnyRun>(toolRun),
]

/** What lists say of a run. */
export interface RunSummary {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Absent until a controller has seen the run. */
  readonly phase?: string
  /** The Agent, Orchestration or Tool that runs. */
  readonly of?: string
  /** The reason and message of the condition `Succeeded`. */
  readonly reason?: string
  readonly message?: string
  readonly createdAt: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly labels?: Readonly<Record<string, string>>
  /** Present if the run comes from the archive. */
  readonly archived?: true
}

export function runSummary({ kind, metadata, spec = {}, status = {} }: AnyRun): RunSummary {
  const { namespace = '', name, uid = '', creationTimestamp = '', labels } = metadata
  const { phase, startedAt, finishedAt, conditions = [] } = status
  const of = ranBy({ spec })
  const { reason, message } = conditions.find(({ type }) => type === 'Succeeded') ?? {}
  return {
    kind,
    namespace,
    name,
    uid,
    ...(phase !== undefined && { phase }),
    ...(of !== undefined && { of }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    createdAt: creationTimestamp,
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(labels !== undefined && { labels }),
  }
}

/** The name of the Agent, Orchestration or Tool that runs. */
export function ranBy({ spec = {} }: Pick<AnyRun, 'spec'>): string | undefined {
  const { agentRef, orchestrationRef, toolRef } = spec
  return (agentRef ?? orchestrationRef ?? toolRef)?.name
}
