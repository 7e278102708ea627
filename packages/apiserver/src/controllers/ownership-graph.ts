import type { KubeObject, OwnerReference } from '@agents/kube'

/** Who owns whom, by uid, kept current by the store's events. Knows no policy. */
export class OwnershipGraph {
  /** Live objects: uid → store key. */
  readonly #keys = new Map<string, string>()
  /** Owner uid → uids of the live objects that name it. */
  readonly #dependents = new Map<string, Set<string>>()
  readonly #owners = new Map<string, readonly string[]>()

  /** A live object was seen: new, or changed. */
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

  /** A live object is gone. What it owned keeps naming it until somebody changes that. */
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

  /** Store keys of the live objects that name this owner. */
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
