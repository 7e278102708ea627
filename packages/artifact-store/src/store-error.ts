export type StoreErrorReason =
  /** The namespace or the digest has another form. */
  | 'InvalidAddress'
  /** The content has another digest or size than its address says. */
  | 'ContentMismatch'
  /** The sender of the content went away. */
  | 'Interrupted'
  /** What the store holds is no longer what was put there. */
  | 'Corrupted'
  /** The same content is being deleted; a later attempt succeeds. */
  | 'BeingDeleted'
  /** The store cannot be reached or has no space; a later attempt may succeed. */
  | 'Unavailable'
  /** The store refuses: credentials, bucket or rights are wrong. */
  | 'Refused'
  /** What answers is not a store. */
  | 'BadAnswer'

/** What goes wrong with a store. Messages hold no credential and may be shown. */
export class StoreError extends Error {
  readonly reason: StoreErrorReason

  constructor(reason: StoreErrorReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.reason = reason
  }
}
