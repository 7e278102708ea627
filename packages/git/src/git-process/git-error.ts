export type GitErrorCode =
  /** The network or the server does not answer; asking again later may help. */
  | 'unreachable'
  /** The server wants other credentials, or gives these no right to do it. */
  | 'auth'
  /** The SSH server's key is not one that we were told to trust. */
  | 'host-key'
  /** The HTTPS server's certificate is not one that we were told to trust, or not for this host. */
  | 'certificate'
  /** There is no such repository, or not for us. */
  | 'not-found'
  /** The branch is not where we thought: somebody else wrote to it. */
  | 'stale'
  /** The server understood the push and does not want it: a hook, a protected branch. */
  | 'rejected'
  /** Took longer than it may, and was ended. */
  | 'timeout'
  /** Ended because the caller asked for it. */
  | 'aborted'
  /** No room left for the local copy. */
  | 'disk-full'
  /** The URL, a credential, a host key list or a path is one that we do not accept. */
  | 'refused'
  /** The local copy is broken or gone; a new one helps. */
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

export const isGitError = (error: unknown, code?: GitErrorCode): error is GitError =>
  error instanceof GitError && (code === undefined || error.code === code)
