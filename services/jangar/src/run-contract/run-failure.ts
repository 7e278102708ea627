import type { Reason } from './outcome.ts'

/** A failed step. The following steps are skipped, and the run ends with this reason. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly reason: Reason

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
