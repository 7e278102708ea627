import type { Condition, KubeObject } from '@agents/kube'
import type { Attributes } from '@agents/tracing'

/** A run of any kind, as far as its trace needs to know it. */
export interface TracedRun extends KubeObject {
  readonly status?:
    | {
        readonly conditions?: readonly Condition[] | undefined
        readonly phase?: string | undefined
        readonly finishedAt?: string | undefined
      }
    | undefined
}

/** What the spans of a kind of runs say. Names and numbers only: texts of users and agents stay out of traces. */
export interface TracedKind<Run extends TracedRun = TracedRun> {
  /** Name of the span of a whole run. */
  readonly name: string
  /** Of every span of the run. */
  attributesOf(run: Run): Attributes
  /** Of the span of a run that has ended. */
  outcomeOf(run: Run): Attributes
}

export function runAttributes({ metadata }: KubeObject): Attributes {
  return {
    'k8s.namespace.name': metadata.namespace,
    'agents.run.name': metadata.name,
    'agents.run.uid': metadata.uid,
  }
}
