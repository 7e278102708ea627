/** A value does not fit its schema in a way that ownership cannot be worked out. */
export class TypedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TypedError'
  }
}
