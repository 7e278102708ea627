import { describe, expect, test } from 'vitest'
import { type Fields, part } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'
import { autoscalerV1, autoscalerV2 } from './autoscaler-versions.ts'

const metric = { name: 'queue', selector: { matchLabels: { a: 'b' } } }
const described = { kind: 'Service', name: 'front', apiVersion: 'v1' }
function autoscaler(metrics: Fields[], more: Fields = {}, status: Fields = {}): BuiltinObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'x', annotations: { mine: 'yes' } },
    spec: { maxReplicas: 3, metrics, ...more },
    status: { desiredReplicas: 0, currentMetrics: null, ...status },
  } as unknown as BuiltinObject
}
function cpu(percent: number): Fields {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } },
  }
}

const metrics: readonly (readonly [because: string, v2: Fields, flat: Fields])[] = [
  [
    'a resource by value',
    {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
    },
    { type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } },
  ],
  [
    'a resource of one container',
    {
      type: 'ContainerResource',
      containerResource: {
        name: 'cpu',
        container: 'a',
        target: { type: 'Utilization', averageUtilization: 5 },
      },
    },
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'a', targetAverageUtilization: 5 },
    },
  ],
  [
    'a metric of the pods',
    { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '5' } } },
    {
      type: 'Pods',
      pods: { metricName: 'queue', selector: metric.selector, targetAverageValue: '5' },
    },
  ],
  [
    'a metric of an object',
    {
      type: 'Object',
      object: { describedObject: described, metric, target: { type: 'Value', value: '5' } },
    },
    {
      type: 'Object',
      object: {
        target: described,
        metricName: 'queue',
        selector: metric.selector,
        targetValue: '5',
      },
    },
  ],
  [
    'a metric of an object per pod',
    {
      type: 'Object',
      object: {
        describedObject: described,
        metric,
        target: { type: 'AverageValue', averageValue: '5' },
      },
    },
    {
      type: 'Object',
      object: {
        target: described,
        metricName: 'queue',
        selector: metric.selector,
        targetValue: '0',
        averageValue: '5',
      },
    },
  ],
  [
    'a metric from outside',
    { type: 'External', external: { metric, target: { type: 'Value', value: '5' } } },
    {
      type: 'External',
      external: { metricName: 'queue', metricSelector: metric.selector, targetValue: '5' },
    },
  ],
]

describe('an autoscaler of v1', () => {
  test.each(metrics)('converts %s to an annotation and back', (_because, v2, flat) => {
    const whole = autoscaler([v2, cpu(50)])
    const converted = autoscalerV1(whole)
    const annotation = converted.metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics']
    expect(JSON.parse(annotation ?? '')).toEqual([flat])
    expect(part(converted, 'spec').targetCPUUtilizationPercentage).toBe(50)
    expect(autoscalerV2(converted)).toEqual(whole)
  })

  test('keeps all current metrics', () => {
    const status = {
      currentReplicas: 2,
      conditions: [{ type: 'AbleToScale', status: 'True' }],
      currentMetrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', current: { averageUtilization: 7, averageValue: '70m' } },
        },
        { type: 'Pods', pods: { metric, current: { averageValue: '3' } } },
        { type: 'Object', object: { describedObject: described, metric, current: { value: '4' } } },
        { type: 'External', external: { metric, current: { value: '4', averageValue: '2' } } },
      ],
    }
    const whole = autoscaler([cpu(50)], {}, status)
    const converted = autoscalerV1(whole)
    expect(part(converted, 'status').currentCPUUtilizationPercentage).toBe(7)
    expect(autoscalerV2(converted)).toEqual(whole)
  })

  test("accepts the behavior with upstream's names, too", () => {
    const converted = autoscalerV1(autoscaler([cpu(50)]))
    const behavior = '{"ScaleUp":{"SelectPolicy":"Max","Policies":null},"ScaleDown":null}'
    const annotations = { 'autoscaling.alpha.kubernetes.io/behavior': behavior }
    const desired = { ...converted, metadata: { ...converted.metadata, annotations } }
    expect(part(autoscalerV2(desired), 'spec').behavior).toEqual({
      scaleUp: { selectPolicy: 'Max' },
    })
  })

  test('uses CPU by default', () => {
    const submitted = { ...autoscalerV1(autoscaler([cpu(50)])), spec: { maxReplicas: 1 } }
    expect(part(autoscalerV2(submitted), 'spec').metrics).toEqual([cpu(80)])
  })
})
