import type { KubeObject } from '@agents/kube'
import { copyJson, isJsonObject } from '../json/json-value.ts'
import type { Resource, ScaleSubresource } from '../registry/resource.ts'
import { badRequest, internal, invalid, quote } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'

/** The autoscaling/v1 Scale of an object. */
export function scaleOf(scale: ScaleSubresource, object: KubeObject): KubeObject {
  const { metadata } = object
  const replicas = numberAt(object, scale.specReplicasPath)
  const selector = scale.labelSelectorPath === undefined ? '' : selectorAt(object, scale)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(metadata.resourceVersion === undefined
        ? {}
        : { resourceVersion: metadata.resourceVersion }),
      ...(metadata.creationTimestamp === undefined
        ? {}
        : { creationTimestamp: metadata.creationTimestamp }),
    },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, scale.statusReplicasPath) ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  }
}

/** Like `scaleOf`, for reads: throws for a custom resource without replicas. */
export function readScale(
  resource: Resource,
  scale: ScaleSubresource,
  object: KubeObject,
): KubeObject {
  if (resource.isCustom && numberAt(object, scale.specReplicasPath) === undefined) {
    throw internal(`the spec replicas field ${quote(scale.specReplicasPath)} does not exist`)
  }
  return scaleOf(scale, object)
}

/** Returns the parent with the replicas of a Scale. Throws if the version or identity of the Scale does not match. */
export function withScale(
  resource: Resource,
  scale: ScaleSubresource,
  live: KubeObject,
  desired: KubeObject,
): KubeObject {
  if (desired.kind !== 'Scale' || desired.apiVersion !== 'autoscaling/v1') {
    throw badRequest(
      `wrong object passed to Scale update: ${desired.apiVersion}, Kind=${desired.kind}`,
    )
  }
  if (desired.metadata.name !== live.metadata.name) {
    throw badRequest(
      `the name of the object (${desired.metadata.name}) does not match the name on the URL (${live.metadata.name})`,
    )
  }
  const spec: unknown = desired.spec
  const replicas = isJsonObject(spec) ? (spec.replicas ?? 0) : 0
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    )
  }
  if (replicas < 0 && !resource.isCustom) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, live.metadata.name, [
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  }
  const next = copyJson(live)
  const version = desired.metadata.resourceVersion ?? ''
  if (version === '' && live.metadata.resourceVersion !== undefined) {
    next.metadata.resourceVersion = live.metadata.resourceVersion
  } else next.metadata.resourceVersion = version
  setAt(next, scale.specReplicasPath, replicas)
  return next
}

/** The configuration of the parent that applying a Scale applies. */
export function appliedByScale(
  resource: Resource,
  scale: ScaleSubresource,
  live: KubeObject,
  desired: KubeObject,
): KubeObject {
  const scaled = withScale(resource, scale, live, desired)
  const { apiVersion, kind, metadata } = live
  const version = desired.metadata.resourceVersion ?? ''
  const applied: KubeObject = {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(version === '' ? {} : { resourceVersion: version }),
    },
  }
  setAt(applied, scale.specReplicasPath, numberAt(scaled, scale.specReplicasPath) ?? 0)
  return applied
}

function segments(path: string): string[] {
  return path.split('.').filter((part) => part !== '')
}

function valueAt(object: KubeObject, path: string): unknown {
  let value: unknown = object
  for (const part of segments(path)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

function numberAt(object: KubeObject, path: string): number | undefined {
  const value = valueAt(object, path)
  return typeof value === 'number' ? value : undefined
}

function setAt(object: KubeObject, path: string, value: number): void {
  const parts = segments(path)
  const last = parts.pop()
  let target = object as unknown as Record<string, unknown>
  for (const part of parts) {
    if (!isJsonObject(target[part])) target[part] = {}
    target = target[part] as Record<string, unknown>
  }
  if (last !== undefined) target[last] = value
}

function selectorAt(object: KubeObject, scale: ScaleSubresource): string {
  const value = valueAt(object, scale.labelSelectorPath ?? '')
  if (typeof value === 'string') return value
  if (!isJsonObject(value)) return ''
  // A map of labels (ReplicationController) or a LabelSelector.
  if (!('matchLabels' in value) && !('matchExpressions' in value)) return labelsText(value)
  const labels = isJsonObject(value.matchLabels) ? labelsText(value.matchLabels) : ''
  const expressions = Array.isArray(value.matchExpressions) ? value.matchExpressions : []
  return [labels, ...expressions.map(expressionText)].filter((text) => text !== '').join(',')
}

function labelsText(labels: Record<string, unknown>): string {
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(',')
}

function expressionText(expression: unknown): string {
  if (!isJsonObject(expression)) return ''
  const key = String(expression.key)
  const values = Array.isArray(expression.values) ? expression.values.map(String).sort() : []
  switch (expression.operator) {
    case 'Exists':
      return key
    case 'DoesNotExist':
      return `!${key}`
    case 'NotIn':
      return `${key} notin (${values.join(',')})`
    default:
      return `${key} in (${values.join(',')})`
  }
}
