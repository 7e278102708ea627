export type GitErrorCode =
  /** The network or the server does not respond; a later attempt may succeed. */
  | 'unreachable'
  /** The server rejects the credentials, or they do not permit the operation. */
  | 'auth'
  /** The SSH server's host key is not trusted. */
  | 'host-key'
  /** The HTTPS server's certificate is not trusted, or not valid for this host. */
  | 'certificate'
  /** The repository does not exist, or is not visible with these credentials. */
  | 'not-found'
  /** The branch has moved: another writer pushed to it. */
  | 'stale'
  /** The server rejected the push: a hook or a protected branch. */
  | 'rejected'
  /** The operation exceeded its time limit and was ended. */
  | 'timeout'
  /** The caller ended the operation. */
  | 'aborted'
  /** No disk space is left for the local copy. */
  | 'disk-full'
  /** A URL, a credential, a host key list or a path is not accepted. */
  | 'refused'
  /** The local copy is broken or was deleted; recreating it helps. */
  | 'local'
  | 'failed'

/** A failed Git operation. The message names what was attempted and holds no credential. */
export class GitError extends Error {
  override readonly name = 'GitError'
  readonly code: GitErrorCode

  constructor(code: GitErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export function isGitError(error: unknown, code?: GitErrorCode): error is GitError {
  return error instanceof GitError && (code === undefined || error.code === code)
}
