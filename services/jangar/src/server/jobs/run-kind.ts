import type { OwnerKind } from '@agents/controller'
import type { KubeObject, ObjectKey } from '@agents/kube'

/** How the Jobs and pods of a run kind name the run that they belong to. */
export interface RunKind {
  readonly owner: OwnerKind
  /** Label that holds the name of the run, shortened if it is too long for a label. */
  readonly label: string
  /** Annotation that holds the full name where the label is shortened. */
  readonly annotation: string
  /** In the names of its Jobs. If omitted, those of AgentRuns. */
  readonly jobs?: 'tool'
}

/** The run that a Job or pod belongs to. Labels name it even while the Job between the two is not in the cache yet. */
export function runOf(
  { label, annotation }: Pick<RunKind, 'label' | 'annotation'>,
  { metadata }: KubeObject,
): ObjectKey | undefined {
  const { namespace } = metadata
  const name = metadata.annotations?.[annotation] ?? metadata.labels?.[label]
  return name === undefined ? undefined : { namespace, name }
}
