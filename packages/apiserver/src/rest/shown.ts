import type { KubeObject } from '@agents/kube'
import { stringifyJson } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { Entry } from '../store/store.ts'

/** An object on its way to a client. A stored entry is one, with its bytes at hand. */
export interface Shown {
  readonly value: KubeObject
  readonly json: Buffer
}

/** The entry in the version of the resource. */
export function shownEntry(resource: Resource, entry: Entry): Entry {
  return resource.fromStorage === undefined ? entry : resource.fromStorage(entry)
}

/** An object that is not in the store: a dry run, a view, a computed answer. */
export function shownValue(value: KubeObject): Shown {
  return { value, json: Buffer.from(stringifyJson(value)) }
}
