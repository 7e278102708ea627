/** A container cannot start with its configuration, or not yet. The reason is that of a waiting state. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly reason: string
  /** Set if the container only waits for this promise, which never rejects. */
  readonly until: Promise<void> | undefined

  constructor(message: string, reason = 'CreateContainerConfigError', until?: Promise<void>) {
    super(message)
    this.reason = reason
    this.until = until
  }
}
