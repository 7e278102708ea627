import { basename } from 'node:path'
import type { KubeObject, Pod } from '@agents/kube'
import type { ShownKind } from './run-kind.ts'

const domain = 'agents.proompteng.ai'
const longestLabel = 63

/**
 * Label selector for the objects of a run. Names too long for a label are in an annotation, so that `belongsTo` has
 * to filter the result.
 */
export function runSelector(runName: string, { label }: Pick<ShownKind, 'label'>): string {
  return runName.length <= longestLabel ? `${label}=${runName}` : label
}

export function belongsTo(
  { metadata }: KubeObject,
  runName: string,
  { label: key }: Pick<ShownKind, 'label'>,
): boolean {
  return metadata.labels?.[key] === runName || metadata.annotations?.[key] === runName
}

/** `step plan, attempt 2`; nothing for the one attempt of a plain run. */
export function attemptTitle({ metadata: { labels = {} } }: Pod): string {
  const step = labels[`${domain}/step`]
  const attempt = labels[`${domain}/attempt`] ?? '1'
  const parts = [
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(attempt === '1' ? [] : [`attempt ${attempt}`]),
  ]
  return parts.join(', ')
}

/** Whether the runner runs the agent, so that some lines of the output are its own. */
export function hasRunner({ spec }: Pod): boolean {
  return basename(spec.containers[0]?.command?.[0] ?? '') === 'agent-runner'
}

/** Whether a container of the pod has started: before that, a cluster refuses to return its output. */
export function hasOutput({ status }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true
  return (status?.containerStatuses ?? []).some(
    ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  )
}

export function byAge(a: KubeObject, b: KubeObject): number {
  const [before, after] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? '')
  return (before ?? '').localeCompare(after ?? '') || a.metadata.name.localeCompare(b.metadata.name)
}
