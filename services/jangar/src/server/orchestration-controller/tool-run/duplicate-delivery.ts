import type { ToolRun } from '@agents/jangar-api'
import type { Indexer } from '@agents/kube'
import { earlierRequest } from '../../kubernetes/duplicate-request.ts'
import {
  refused,
  specOf,
  type ToolResolutionPorts,
  type ToolRunRefused,
} from './tool-resolution.ts'

const deliveryIndex = 'deliveryId'

/** Indexes of the run cache, so that resolving a run does not scan all others. */
export const toolRunIndexers: Readonly<Record<string, Indexer<ToolRun>>> = {
  [deliveryIndex]: (run) => {
    const value = deliveryOf(run)
    return value === undefined ? [] : [value]
  },
}

/** Refuses all but one of the runs of a tool with the same deliveryId. */
export function duplicateDelivery(
  run: ToolRun,
  { caches, claims }: Pick<ToolResolutionPorts, 'caches' | 'claims'>,
): ToolRunRefused | undefined {
  const value = deliveryOf(run)
  if (value === undefined) return undefined
  const runs = caches.toolRuns.byIndex(deliveryIndex, value)
  const refusal = 'DuplicateDelivery'
  const first = earlierRequest(run, { runs, value, claims, refusal })
  if (first === undefined) return undefined
  return refused(
    refusal,
    `ToolRun ${first.metadata.name} of the same Tool already has the deliveryId ${specOf(run).deliveryId}; use that run, or create a run with another one`,
  )
}

function deliveryOf(run: ToolRun): string | undefined {
  const { deliveryId, toolRef } = specOf(run)
  if (deliveryId === undefined || deliveryId.trim() === '') return undefined
  return JSON.stringify([run.metadata.namespace, toolRef?.name, deliveryId])
}
