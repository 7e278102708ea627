/** A container cannot start as it is described, or not yet. The reason is that of a waiting state. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly reason: string
  /** Nothing is wrong: there is just something to wait for. Never rejects. */
  readonly until: Promise<void> | undefined

  constructor(message: string, reason = 'CreateContainerConfigError', until?: Promise<void>) {
    super(message)
    this.reason = reason
    this.until = until
  }
}
