import { formatApiVersion, type KindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import { withoutPlatformKeys } from '../kubernetes/labels.ts'
import { ApiError } from './api-error.ts'
import type { AnyRun } from './run-summary.ts'

/** What ended or identified the first run is not copied. */
const ownFields = ['cancel', 'idempotencyKey', 'deliveryId', 'resumeFrom']

/**
 * Another run like a finished one. That of an OrchestrationRun takes over the steps that succeeded, except the given
 * ones and those that depend on them.
 */
export function repeatedRun(
  kind: KindRef,
  { metadata, spec = {}, status }: AnyRun,
  steps: readonly string[],
): object {
  const { name, namespace, labels = {} } = metadata
  if (!isFinished(status?.conditions)) {
    throw new ApiError('Conflict', `${name} has not ended; only a finished run can be repeated`)
  }
  const isGraph = kind.kind === 'OrchestrationRun'
  if (steps.length > 0 && !isGraph) {
    throw new ApiError('BadRequest', `${name} is not a run of an Orchestration, so it has no steps`)
  }
  const copied = Object.entries(spec).filter(([field]) => !ownFields.includes(field))
  const resumeFrom = { name, ...(steps.length > 0 && { steps }) }
  return {
    apiVersion: formatApiVersion(kind),
    kind: kind.kind,
    metadata: {
      namespace,
      generateName: `${name.slice(0, 200)}-`,
      // Those of the platform say what created the first run: another run, or a schedule.
      labels: withoutPlatformKeys(labels),
    },
    spec: { ...Object.fromEntries(copied), ...(isGraph && { resumeFrom }) },
  }
}
