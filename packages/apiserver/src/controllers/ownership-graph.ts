import type { KubeObject, OwnerReference } from '@agents/kube'

/** An index of owners and dependents by uid, which the events of the store keep up to date. */
export class OwnershipGraph {
  /** Store keys of live objects by uid. */
  readonly #keys = new Map<string, string>()
  /** Uids of dependents by uid of the owner. */
  readonly #dependents = new Map<string, Set<string>>()
  readonly #owners = new Map<string, readonly string[]>()

  /** Adds or updates a live object. */
  put(key: string, object: KubeObject): void {
    const { uid } = object.metadata
    if (uid === undefined) return
    this.#unlink(uid)
    this.#keys.set(uid, key)
    const owners = ownersOf(object).map((owner) => owner.uid)
    if (owners.length === 0) return
    this.#owners.set(uid, owners)
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner) ?? new Set()
      dependents.add(uid)
      this.#dependents.set(owner, dependents)
    }
  }

  /** Removes an object. Its dependents keep their reference to it. */
  remove(object: KubeObject): void {
    const { uid } = object.metadata
    if (uid === undefined) return
    this.#unlink(uid)
    this.#keys.delete(uid)
  }

  /** Store key of a live object. */
  keyOf(uid: string): string | undefined {
    return this.#keys.get(uid)
  }

  /** Store keys of the live dependents of an owner. */
  dependentsOf(ownerUid: string): string[] {
    return [...(this.#dependents.get(ownerUid) ?? [])]
      .map((uid) => this.#keys.get(uid))
      .filter((key) => key !== undefined)
  }

  #unlink(uid: string): void {
    for (const owner of this.#owners.get(uid) ?? []) {
      const dependents = this.#dependents.get(owner)
      dependents?.delete(uid)
      if (dependents?.size === 0) this.#dependents.delete(owner)
    }
    this.#owners.delete(uid)
  }
}

export function ownersOf(object: KubeObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? []
}
