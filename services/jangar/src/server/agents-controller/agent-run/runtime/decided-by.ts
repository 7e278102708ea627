import type { Decided } from '../../../jobs/runtime-ref.ts'
import type { ResolvedWork } from '../resolve/resolution.ts'

export function decidedBy({ runTimeoutSeconds, settings, repository }: ResolvedWork): Decided {
  const { ttlSecondsAfterFinished } = settings
  return {
    runTimeoutSeconds,
    ...(ttlSecondsAfterFinished !== undefined && { jobTtlSeconds: ttlSecondsAfterFinished }),
    ...(repository !== undefined && { repository }),
  }
}
