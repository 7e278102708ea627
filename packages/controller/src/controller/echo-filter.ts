/**
 * Distinguishes events of own writes from those of others. A write that was guarded by the reconciled version contains
 * nothing new, and a reconcile because of it would undo the backoff of the reconcile that wrote. The event may arrive
 * before the response, so events during a reconcile are classified at its end.
 */
export class EchoFilter {
  readonly #written = new Map<string, string[]>()
  readonly #during = new Map<string, string[]>()

  wrote(key: string, resourceVersion: string): void {
    const versions = this.#written.get(key) ?? []
    this.#written.set(key, [...versions, resourceVersion].slice(-remembered))
  }

  beginPass(key: string): void {
    this.#during.set(key, [])
  }

  /** Whether an event arrived during the reconcile that its own writes do not explain. */
  endPass(key: string): boolean {
    const versions = this.#during.get(key) ?? []
    this.#during.delete(key)
    return versions.filter((version) => !this.#isEcho(key, version)).length > 0
  }

  /** Whether an update to this version is not an own write. */
  isNews(key: string, resourceVersion: string): boolean {
    const during = this.#during.get(key)
    if (!during) return !this.#isEcho(key, resourceVersion)
    during.push(resourceVersion)
    return false
  }

  forget(key: string): void {
    this.#written.delete(key)
  }

  #isEcho(key: string, resourceVersion: string): boolean {
    const versions = this.#written.get(key)
    if (!versions?.includes(resourceVersion)) return false
    const rest = versions.filter((version) => version !== resourceVersion)
    if (rest.length === 0) this.#written.delete(key)
    else this.#written.set(key, rest)
    return true
  }
}

/**
 * A reconcile writes at most twice: a finalizer and a status. A relist may skip events, so old versions are dropped.
 */
const remembered = 4
