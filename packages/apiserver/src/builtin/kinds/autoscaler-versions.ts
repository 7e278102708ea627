import { isJsonObject } from '../../json/json-value.ts'
import { type Fields, part, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { measuredV1, measuredV2, metricV1, metricV2 } from './autoscaler-metrics.ts'

/** Annotations that hold the fields that v1 lacks. Clients cannot set them. */
const annotationNames = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const

/** Converts from autoscaling/v2, which is stored, to autoscaling/v1. */
export function autoscalerV1(object: BuiltinObject): BuiltinObject {
  const spec = part(object, 'spec')
  const { metrics: _metrics, behavior, ...rest } = spec
  const others = parts(spec, 'metrics').filter((metric) => !isCpuUtilization(metric, 'target'))
  const cpu = parts(spec, 'metrics').find((metric) => isCpuUtilization(metric, 'target'))
  const oldStatus = part(object, 'status')
  const { currentMetrics: _current, conditions, ...status } = oldStatus
  const measured = parts(oldStatus, 'currentMetrics')
  const current = measured.findLast((metric) => isCpuUtilization(metric, 'current'))
  const { averageUtilization } = part(part(cpu ?? {}, 'resource'), 'target')
  const utilization = part(part(current ?? {}, 'resource'), 'current').averageUtilization
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, {
      metrics: others.length === 0 ? undefined : others.map(metricV1),
      currentMetrics: measured.length === 0 ? undefined : measured.map(measuredV1),
      behavior,
      conditions: Array.isArray(conditions) && conditions.length > 0 ? conditions : undefined,
    }),
    spec: {
      ...rest,
      ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: averageUtilization }),
    },
    status: {
      currentReplicas: 0,
      ...status,
      ...(utilization === undefined ? {} : { currentCPUUtilizationPercentage: utilization }),
    },
  }
}

export function autoscalerV2(object: BuiltinObject): BuiltinObject {
  const { targetCPUUtilizationPercentage: percent, ...rest } = part(object, 'spec')
  const annotations = object.metadata.annotations ?? {}
  const listed = (name: keyof typeof annotationNames): Fields[] | undefined => {
    const value = parsed(annotations[annotationNames[name]])
    return Array.isArray(value) ? value.filter(isJsonObject) : undefined
  }
  const metrics = [
    ...(listed('metrics') ?? []).map(metricV2),
    ...(percent === undefined ? [] : [cpuMetric('target', { type: 'Utilization' }, percent)]),
  ]
  const behavior = lowerKeys(parsed(annotations[annotationNames.behavior]))
  const conditions = listed('conditions')
  const { currentCPUUtilizationPercentage: current, ...status } = part(object, 'status')
  const { currentReplicas = 0, ...idle } = status
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object, {}),
    spec: {
      ...rest,
      metrics:
        metrics.length > 0
          ? metrics
          : [cpuMetric('target', { type: 'Utilization' }, defaultPercent)],
      ...(isJsonObject(behavior) && Object.keys(behavior).length > 0 ? { behavior } : {}),
    },
    status: {
      ...(currentReplicas === 0 ? idle : status),
      ...(conditions === undefined ? {} : { conditions }),
      currentMetrics:
        listed('currentMetrics')?.map(measuredV2) ??
        (current === undefined ? null : [cpuMetric('current', {}, current)]),
    },
  }
}

/** The default metric of an autoscaler. */
const defaultPercent = 80

function cpuMetric(amount: 'target' | 'current', fields: Fields, percent: unknown): Fields {
  const resource = { name: 'cpu', [amount]: { ...fields, averageUtilization: percent } }
  return { type: 'Resource', resource }
}

function isCpuUtilization(metric: Fields, amount: 'target' | 'current'): boolean {
  const resource = part(metric, 'resource')
  return (
    metric.type === 'Resource' &&
    text(resource, 'name') === 'cpu' &&
    part(resource, amount).averageUtilization !== undefined
  )
}

function withAnnotations(
  { metadata }: BuiltinObject,
  values: Readonly<Partial<Record<keyof typeof annotationNames, unknown>>>,
): BuiltinObject['metadata'] {
  const { annotations: before, ...rest } = metadata
  const annotations: Record<string, string> = { ...before }
  for (const name of Object.values(annotationNames)) delete annotations[name]
  for (const [key, value] of Object.entries(values)) {
    const name = annotationNames[key as keyof typeof annotationNames]
    if (value !== undefined) annotations[name] = JSON.stringify(value)
  }
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations }
}

/** Upstream writes the behavior with capitalized field names. */
function lowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerKeys)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key.charAt(0).toLowerCase() + key.slice(1), lowerKeys(member)]),
  )
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
