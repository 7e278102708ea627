import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { listWithMore } from '../list-text.ts'
import { ageColumn, column, nameColumn, printer } from '../printer.ts'
import { annotatedMetrics, type Metric, type MetricSource, type Quantity } from './metrics.ts'

/** An autoscaler of autoscaling/v2, or of v1 with its single CPU target. */
interface HorizontalPodAutoscaler extends KubeObject {
  spec?: {
    scaleTargetRef?: { kind?: string; name?: string }
    minReplicas?: number
    maxReplicas?: number
    metrics?: readonly Metric[]
    targetCPUUtilizationPercentage?: number
  }
  status?: {
    currentReplicas?: number
    currentMetrics?: readonly Metric[] | null
    currentCPUUtilizationPercentage?: number
  }
}

export const horizontalPodAutoscalerPrinter = printer<HorizontalPodAutoscaler>(
  [
    nameColumn,
    column('Reference'),
    column('Targets'),
    column('MinPods'),
    column('MaxPods'),
    column('Replicas'),
    ageColumn,
  ],
  (autoscaler, now) => {
    const { metadata, spec, status } = autoscaler
    return [
      metadata.name,
      `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
      targets(autoscaler),
      String(spec?.minReplicas ?? '<unset>'),
      spec?.maxReplicas ?? 0,
      status?.currentReplicas ?? 0,
      age(metadata.creationTimestamp, now),
    ]
  },
)

function targets({ metadata, spec, status }: HorizontalPodAutoscaler): string {
  const { annotations } = metadata
  const cpu = spec?.targetCPUUtilizationPercentage
  const cpuNow = status?.currentCPUUtilizationPercentage
  const wanted = spec?.metrics ?? [
    ...annotatedMetrics(annotations, 'metrics'),
    ...(cpu === undefined ? [] : [cpuMetric('target', cpu)]),
  ]
  const current = status?.currentMetrics ?? [
    ...annotatedMetrics(annotations, 'current-metrics'),
    ...(cpuNow === undefined ? [] : [cpuMetric('current', cpuNow)]),
  ]
  if (wanted.length === 0) return '<none>'
  const texts = wanted.map((metric, index) => targetText(metric, current[index] ?? {}))
  return listWithMore(texts, 2, ', ')
}

function cpuMetric(side: 'target' | 'current', averageUtilization: number): Metric {
  return { type: 'Resource', resource: { name: 'cpu', [side]: { averageUtilization } } }
}

function targetText(metric: Metric, status: Metric): string {
  switch (metric.type) {
    case 'Resource':
      return resourceText(metric.resource, status.resource)
    case 'ContainerResource':
      return resourceText(metric.containerResource, status.containerResource)
    case 'Pods':
      return `${quantity(status.pods, 'averageValue')}/${metric.pods?.target?.averageValue ?? '0'}`
    case 'Object':
      return valueText(metric.object, status.object)
    case 'External':
      return valueText(metric.external, status.external)
    default:
      return '<unknown type>'
  }
}

function resourceText(wanted: MetricSource | undefined, status: MetricSource | undefined): string {
  const { averageValue, averageUtilization } = wanted?.target ?? {}
  if (averageValue !== undefined) {
    return `${wanted?.name ?? ''}: ${quantity(status, 'averageValue')}/${averageValue}`
  }
  const now = status?.current?.averageUtilization
  const current = now === undefined ? '<unknown>' : `${now}%`
  const target = averageUtilization === undefined ? '<auto>' : `${averageUtilization}%`
  return `${wanted?.name ?? ''}: ${current}/${target}`
}

function valueText(wanted: MetricSource | undefined, status: MetricSource | undefined): string {
  const { averageValue, value } = wanted?.target ?? {}
  if (averageValue === undefined) return `${quantity(status, 'value')}/${value ?? '0'}`
  return `${status?.current?.averageValue ?? '<unknown>'}/${averageValue} (avg)`
}

function quantity(status: MetricSource | undefined, which: 'value' | 'averageValue'): Quantity {
  return status === undefined ? '<unknown>' : (status.current?.[which] ?? '0')
}
