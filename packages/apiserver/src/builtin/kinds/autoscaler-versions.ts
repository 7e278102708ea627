import { isJsonObject } from '../../json/json-value.ts'
import { type Fields, part, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics'
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior'

/** autoscaling/v2, which is stored, as autoscaling/v1 shows it: what v1 cannot say goes into annotations. */
export function autoscalerV1(object: BuiltinObject): BuiltinObject {
  const spec = { ...part(object, 'spec') }
  const { metrics: _metrics, behavior, ...rest } = spec
  const all = parts(spec, 'metrics')
  const cpu = all.find(isCpuUtilization)
  const others = all.filter((metric) => metric !== cpu)
  const annotations: Record<string, string> = { ...object.metadata.annotations }
  if (others.length > 0) annotations[metricsAnnotation] = JSON.stringify(others.map(oldMetric))
  if (behavior !== undefined) annotations[behaviorAnnotation] = JSON.stringify(behavior)
  const target = part(part(cpu ?? {}, 'resource'), 'target')
  const { currentMetrics, conditions: _conditions, ...status } = part(object, 'status')
  const current = parts({ currentMetrics }, 'currentMetrics').find(isCpuUtilization)
  const utilization = part(part(current ?? {}, 'resource'), 'current').averageUtilization
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, annotations),
    spec: {
      ...rest,
      ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: target.averageUtilization }),
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
  const annotations: Record<string, string> = { ...object.metadata.annotations }
  const others = parsed(annotations[metricsAnnotation])
  const behavior = parsed(annotations[behaviorAnnotation])
  delete annotations[metricsAnnotation]
  delete annotations[behaviorAnnotation]
  const asked = Array.isArray(others) ? others.filter(isJsonObject).map(newMetric) : []
  const metrics =
    percent === undefined && asked.length > 0
      ? asked
      : [...asked, cpuUtilization(percent ?? defaultPercent)]
  const { currentCPUUtilizationPercentage: _current, ...status } = part(object, 'status')
  const { currentReplicas = 0, ...idle } = status
  const kept = currentReplicas === 0 ? idle : status
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object, annotations),
    spec: {
      ...rest,
      metrics,
      ...(isJsonObject(behavior) ? { behavior } : {}),
    },
    status: { ...kept, currentMetrics: null },
  }
}

/** What an autoscaler looks at that was not told what to look at. */
const defaultPercent = 80

function cpuUtilization(percent: unknown): Fields {
  const target = { type: 'Utilization', averageUtilization: percent }
  return { type: 'Resource', resource: { name: 'cpu', target } }
}

/** The form that metrics of resources had in v1's time. */
function oldMetric(metric: Fields): Fields {
  if (metric.type !== 'Resource') return metric
  const { name, target } = part(metric, 'resource')
  const { averageUtilization, averageValue } = isJsonObject(target) ? target : {}
  return {
    type: 'Resource',
    resource: {
      name,
      ...(averageUtilization === undefined ? {} : { targetAverageUtilization: averageUtilization }),
      ...(averageValue === undefined ? {} : { targetAverageValue: averageValue }),
    },
  }
}

function newMetric(metric: Fields): Fields {
  const resource = part(metric, 'resource')
  if (metric.type !== 'Resource' || resource.target !== undefined) return metric
  const { name, targetAverageUtilization, targetAverageValue } = resource
  const target =
    targetAverageUtilization === undefined
      ? { type: 'AverageValue', averageValue: targetAverageValue }
      : { type: 'Utilization', averageUtilization: targetAverageUtilization }
  return { type: 'Resource', resource: { name, target } }
}

function isCpuUtilization(metric: Fields): boolean {
  const resource = part(metric, 'resource')
  const amount = part(
    resource,
    metric.resource !== undefined && 'target' in resource ? 'target' : 'current',
  )
  return (
    metric.type === 'Resource' &&
    text(resource, 'name') === 'cpu' &&
    amount.averageUtilization !== undefined
  )
}

function withAnnotations(
  { metadata }: BuiltinObject,
  annotations: Record<string, string>,
): BuiltinObject['metadata'] {
  const { annotations: _old, ...rest } = metadata
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
