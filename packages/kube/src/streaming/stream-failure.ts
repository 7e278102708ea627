/**
 * A failure of the node, with a status code and a message for the client. Clients see other errors as internal ones.
 */
export class StreamFailure extends Error {
  override name = 'StreamFailure'
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
