/**
 * Tells the echo of our own writes from news. A write that was guarded by the version we looked at brings nothing that we do
 * not know; looking again because of it would undo the back-off that the same pass asked for. The echo may come before the
 * answer to the write, so what comes during a pass is judged at its end.
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

  /** Whether something came during the pass that it did not cause itself. */
  endPass(key: string): boolean {
    const versions = this.#during.get(key) ?? []
    this.#during.delete(key)
    return versions.filter((version) => !this.#isEcho(key, version)).length > 0
  }

  /** Whether an update to this version is news now. */
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

/** A pass writes twice at most: a finalizer and a status. A relist may swallow echoes, so old ones are let go. */
const remembered = 4
