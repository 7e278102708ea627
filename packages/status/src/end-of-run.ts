import type { Condition, KubeObject } from '@agents/kube'

type Run = Pick<KubeObject, 'metadata'> & {
  readonly status?:
    | {
        readonly finishedAt?: string | undefined
        readonly conditions?: readonly Partial<Condition>[] | undefined
      }
    | undefined
}

/**
 * The time from which it is counted how long a finished run is kept, in milliseconds. Undefined if it is not known.
 *
 * It is the latest of the times that say when the run ended: `finishedAt`, the transition of `Finished`, and its
 * creation, before which it cannot have ended. Hence a single time that is too old does not delete the run early.
 */
export function endOfRun({ metadata, status }: Run): number | undefined {
  if (status?.finishedAt === undefined) return undefined
  const finished = status.conditions?.find(({ type }) => type === 'Finished')
  const times = [status.finishedAt, finished?.lastTransitionTime, metadata.creationTimestamp]
    .map((time) => Date.parse(time ?? ''))
    .filter((time) => !Number.isNaN(time))
  return times.length === 0 ? undefined : Math.max(...times)
}
