import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@agents/kube'

/** Which changes count. Each kind of change has its own answer; a missing one is yes. */
export interface Predicate<T extends KubeObject = KubeObject> {
  readonly add?: (object: T) => boolean
  readonly update?: (before: T, after: T) => boolean
  readonly delete?: (object: T) => boolean
}

/** The spec changed, or the object was asked to go: both move the generation. */
export const generationChanged: Predicate = {
  update: (before, after) => before.metadata.generation !== after.metadata.generation,
}

export const labelsChanged: Predicate = {
  update: (before, after) => !isDeepStrictEqual(before.metadata.labels, after.metadata.labels),
}

export const annotationsChanged: Predicate = {
  update: (before, after) =>
    !isDeepStrictEqual(before.metadata.annotations, after.metadata.annotations),
}

/** Drops resyncs. */
export const resourceVersionChanged: Predicate = {
  update: (before, after) => before.metadata.resourceVersion !== after.metadata.resourceVersion,
}

export function both<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return {
    add: (object) => predicates.every((predicate) => predicate.add?.(object) ?? true),
    update: (before, after) =>
      predicates.every((predicate) => predicate.update?.(before, after) ?? true),
    delete: (object) => predicates.every((predicate) => predicate.delete?.(object) ?? true),
  }
}

export function either<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return {
    add: (object) => predicates.some((predicate) => predicate.add?.(object) ?? true),
    update: (before, after) =>
      predicates.some((predicate) => predicate.update?.(before, after) ?? true),
    delete: (object) => predicates.some((predicate) => predicate.delete?.(object) ?? true),
  }
}

export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return {
    add: (object) => !(predicate.add?.(object) ?? true),
    update: (before, after) => !(predicate.update?.(before, after) ?? true),
    delete: (object) => !(predicate.delete?.(object) ?? true),
  }
}
