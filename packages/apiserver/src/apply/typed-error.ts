/** A value does not match its schema, so that its ownership cannot be computed. */
export class TypedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TypedError'
  }
}
