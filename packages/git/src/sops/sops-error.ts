type SopsErrorCode =
  /** The document is not one that we can encrypt or decrypt. */
  | 'invalid'
  /** A recipient or an identity cannot be read. */
  | 'bad-key'
  /** None of the identities opens the file. */
  | 'no-identity'
  /** The file was changed after it was encrypted. */
  | 'tampered'

/** Its message never holds a value of the document. */
export class SopsError extends Error {
  override readonly name = 'SopsError'
  readonly code: SopsErrorCode

  constructor(message: string, { code, cause }: { code: SopsErrorCode; cause?: unknown }) {
    super(message, { cause })
    this.code = code
  }
}
