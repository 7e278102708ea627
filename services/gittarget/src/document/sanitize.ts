import { type KubeObject, parseApiVersion } from '@agents/kube'
import { withoutBookkeeping } from './bookkeeping.ts'
import { isMap, type Json, type JsonMap, withMember, without } from './json.ts'
import { kindRules } from './kind-rules.ts'
import { withoutCopies } from './secret-annotations.ts'

/**
 * The object without what the server, controllers and tools added. Works as a deny-list: unknown fields are kept.
 * Applied to an empty cluster, the result gives an equal object.
 */
export function sanitize(object: KubeObject): JsonMap {
  const { status: _observed, metadata, ...rest } = object as unknown as JsonMap
  const kind = `${parseApiVersion(object.apiVersion).group}/${object.kind}`
  const rule = kindRules[kind]
  const meta = isMap(metadata) ? metadata : {}
  const own = rule?.(rest, meta) ?? rest
  const kept = sanitizeMetadata(meta)
  return {
    ...withoutTemplateTimes(own),
    metadata: kind === '/Secret' ? withoutValues(kept, rest) : kept,
  }
}

const serverSet = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
  'generateName',
  // If the owner's uid is unknown, the garbage collector deletes the object at once.
  'ownerReferences',
  // Without the controller that removes them, the object could never be deleted.
  'finalizers',
]

function sanitizeMetadata(metadata: JsonMap): JsonMap {
  let kept = without(metadata, serverSet) ?? {}
  for (const part of ['annotations', 'labels'] as const) {
    const map = kept[part]
    if (isMap(map)) kept = withMember(kept, part, withoutBookkeeping(part, map))
  }
  return kept
}

function withoutValues(metadata: JsonMap, secret: JsonMap): JsonMap {
  const { annotations } = metadata
  return isMap(annotations)
    ? withMember(metadata, 'annotations', withoutCopies(annotations, secret))
    : metadata
}

/** Templates of pods, Jobs and claims often contain `creationTimestamp: null`, which Go tools write without need. */
function withoutTemplateTimes(map: JsonMap): JsonMap {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [
      name,
      name === 'spec' && isMap(value) ? dropNullTimes(value, 0) : value,
    ]),
  )
}

/** Deep enough for the pod template of a CronJob's job template. */
const deepest = 4

function dropNullTimes(map: JsonMap, depth: number): JsonMap {
  if (depth > deepest) return map
  let next = map
  const { metadata } = map
  if (isMap(metadata) && metadata.creationTimestamp === null) {
    next = withMember(next, 'metadata', without(metadata, ['creationTimestamp']))
  }
  for (const name of templates) {
    const inner = next[name]
    if (isMap(inner)) next = withMember(next, name, dropNullTimes(inner, depth + 1))
    else if (Array.isArray(inner)) next = withMember(next, name, inner.map(dropInItem(depth)))
  }
  return next
}

const templates = ['template', 'jobTemplate', 'spec', 'volumeClaimTemplates']

function dropInItem(depth: number) {
  return (item: Json): Json => (isMap(item) ? dropNullTimes(item, depth + 1) : item)
}
