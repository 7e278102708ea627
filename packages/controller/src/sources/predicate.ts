import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@agents/kube'

/** Which changes count, for each type of change. If omitted, all changes of that type count. */
export interface Predicate<T extends KubeObject = KubeObject> {
  readonly add?: (object: T) => boolean
  readonly update?: (before: T, after: T) => boolean
  readonly delete?: (object: T) => boolean
}

/** The spec changed, or the object is being deleted: both raise the generation. */
export const generationChanged: Predicate = {
  update: (before, after) => before.metadata.generation !== after.metadata.generation,
}

export const labelsChanged: Predicate = {
  update: (before, after) => !isDeepStrictEqual(before.metadata.labels, after.metadata.labels),
}
