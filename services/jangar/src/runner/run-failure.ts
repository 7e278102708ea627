import type { Reason } from './contract/outcome.ts'

/** A step of the run could not be done; what follows it is skipped, and the run ends for this reason. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly reason: Reason

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
