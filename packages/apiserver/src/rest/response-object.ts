import type { KubeObject } from '@agents/kube'
import { stringifyJson } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { Entry } from '../store/store.ts'

/** An object to be sent to a client. Stored entries are such objects and already have their bytes. */
export interface ResponseObject {
  readonly value: KubeObject
  readonly json: Buffer
}

/** Converts an entry to the version of the resource. */
export function responseEntry(resource: Resource, entry: Entry): Entry {
  return resource.fromStorage === undefined ? entry : resource.fromStorage(entry)
}

/** Like `responseEntry`, and awaits the conversion if a webhook has to do it. */
export async function convertedEntry(resource: Resource, entry: Entry): Promise<Entry> {
  await resource.convertAll?.([entry])
  return responseEntry(resource, entry)
}

/** Wraps an object that is not in the store, such as the result of a dry run. */
export function toResponseObject(value: KubeObject): ResponseObject {
  return { value, json: Buffer.from(stringifyJson(value)) }
}
