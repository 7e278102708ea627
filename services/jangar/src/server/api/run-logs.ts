import { type KindRef, type Pod, PodKind, resourcePath } from '@agents/kube'
import { annotations, labels, labelValue } from '../kubernetes/labels.ts'
import type { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
import type { CallerClient } from './caller-client.ts'
import type { AnyRun } from './run-summary.ts'

interface LogQuestion {
  readonly pod: string | undefined
  readonly container: string | undefined
  readonly follow: boolean
  readonly tailLines: number | undefined
}

/** Finds output that is kept after its pod was deleted. Undefined if there is none. */
export type FindKeptLog = (
  caller: Caller,
  run: AnyRun,
  question: Pick<LogQuestion, 'pod' | 'tailLines'>,
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array> | undefined>

/** Output, and whether it is that of a pod or what was kept of one that is gone. */
interface RunLog {
  readonly from: 'pod' | 'artifact'
  readonly chunks: AsyncIterable<Uint8Array>
}

const marks: Readonly<Record<string, { readonly label: string; readonly annotation: string }>> = {
  AgentRun: { label: labels.agentRun, annotation: annotations.agentRun },
  ToolRun: { label: labels.toolRun, annotation: annotations.toolRun },
}

/** The pods of a run, the newest last. The caller needs the right to list pods. */
export async function podsOfRun(
  client: CallerClient,
  caller: Caller,
  { kind }: Pick<KindRef, 'kind'>,
  { metadata: { namespace = '', name } }: AnyRun,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const mark = marks[kind]
  if (mark === undefined) {
    throw new ApiError(
      'BadRequest',
      `${name} has no pods of its own: ask for the runs of its steps`,
    )
  }
  const labelSelector = `${mark.label}=${labelValue(name)}`
  const query = { labelSelector, limit: 500 }
  const { items } = await client.list<Pod>(caller, PodKind, namespace, query, signal)
  return items
    .filter(
      ({ metadata }) =>
        metadata.labels?.[mark.label] === name || metadata.annotations?.[mark.annotation] === name,
    )
    .toSorted((a, b) => age(a).localeCompare(age(b)))
}

/**
 * The output of a pod of a run, the newest unless one is named, and what is kept of it when the pod is gone. The caller
 * needs the rights that `kubectl logs` needs.
 */
export async function runLogs(
  { client, keptLog }: { readonly client: CallerClient; readonly keptLog: FindKeptLog },
  caller: Caller,
  { kind }: Pick<KindRef, 'kind'>,
  run: AnyRun,
  { pod: wanted, container, follow, tailLines }: LogQuestion,
  signal: AbortSignal,
): Promise<RunLog> {
  const { namespace = '', name } = run.metadata
  const own = await podsOfRun(client, caller, { kind }, run, signal)
  const pod = wanted === undefined ? own.at(-1) : own.find((each) => each.metadata.name === wanted)
  if (pod === undefined) {
    // Only the output of the first container is kept.
    const isKept = container === undefined
    const kept = isKept && (await keptLog(caller, run, { pod: wanted, tailLines }, signal))
    if (kept) return { from: 'artifact', chunks: kept }
    throw new ApiError(
      'NotFound',
      `run ${namespace}/${name} has no such pod, or no longer, and no output of it is kept`,
    )
  }
  const path = resourcePath(PodKind, { namespace, name: pod.metadata.name, subresource: 'log' })
  const options = { container: container ?? pod.spec.containers[0]?.name, follow, tailLines }
  return { from: 'pod', chunks: await client.stream(caller, path, options, signal) }
}

function age({ metadata }: Pod): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`
}
