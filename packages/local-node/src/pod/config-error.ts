/** A container cannot start as it is described, or not yet. The reason is that of a waiting state. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly reason: string

  constructor(message: string, reason = 'CreateContainerConfigError') {
    super(message)
    this.reason = reason
  }
}
