import { type KubeObject, parseApiVersion } from '@agents/kube'
import { withoutBookkeeping } from './bookkeeping.ts'
import { isMap, type Json, type JsonMap, withMember, without } from './json.ts'
import { kindRules } from './kind-rules.ts'

/**
 * What a person would have written: the object without what the server, controllers and tools added. A deny-list: fields that
 * nobody has heard of stay. Applied to an empty cluster, the outcome gives an equal object.
 */
export const sanitize = (object: KubeObject): JsonMap => {
  const { status: _observed, metadata, ...rest } = object as unknown as JsonMap
  const rule = kindRules[`${parseApiVersion(object.apiVersion).group}/${object.kind}`]
  const meta = isMap(metadata) ? metadata : {}
  const own = rule?.(rest, meta) ?? rest
  return { ...withoutTemplateTimes(own), metadata: sanitizeMetadata(meta) }
}

const SERVER_SET = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
  'generateName',
  // Where the owner's uid is unknown, the garbage collector would delete the object at once.
  'ownerReferences',
  // Without the controller that takes them off, the object could never be deleted.
  'finalizers',
]

const sanitizeMetadata = (metadata: JsonMap): JsonMap => {
  let kept = without(metadata, SERVER_SET) ?? {}
  for (const part of ['annotations', 'labels'] as const) {
    const map = kept[part]
    if (isMap(map)) kept = withMember(kept, part, withoutBookkeeping(part, map))
  }
  return kept
}

/** Templates of pods, jobs and claims carry `creationTimestamp: null`, which Go writes and nobody means. */
const withoutTemplateTimes = (map: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(map).map(([name, value]) => [
      name,
      name === 'spec' && isMap(value) ? dropNullTimes(value, 0) : value,
    ]),
  )

/** Deep enough for the pod template of a CronJob's job template. */
const DEEPEST = 4

const dropNullTimes = (map: JsonMap, depth: number): JsonMap => {
  if (depth > DEEPEST) return map
  let next = map
  const { metadata } = map
  if (isMap(metadata) && metadata.creationTimestamp === null) {
    next = withMember(next, 'metadata', without(metadata, ['creationTimestamp']))
  }
  for (const name of TEMPLATES) {
    const inner = next[name]
    if (isMap(inner)) next = withMember(next, name, dropNullTimes(inner, depth + 1))
    else if (Array.isArray(inner)) next = withMember(next, name, inner.map(dropInItem(depth)))
  }
  return next
}

const TEMPLATES = ['template', 'jobTemplate', 'spec', 'volumeClaimTemplates']

const dropInItem =
  (depth: number) =>
  (item: Json): Json =>
    isMap(item) ? dropNullTimes(item, depth + 1) : item
