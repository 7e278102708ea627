export type Quantity = string | number

interface MetricValue {
  readonly averageUtilization?: number
  readonly averageValue?: Quantity
  readonly value?: Quantity
}

export interface MetricSource {
  readonly name?: string
  readonly target?: MetricValue
  readonly current?: MetricValue
}

/** A metric of `spec.metrics` (with a target) or `status.currentMetrics` (with a current value). */
export interface Metric {
  readonly type?: string
  readonly resource?: MetricSource
  readonly containerResource?: MetricSource
  readonly pods?: MetricSource
  readonly object?: MetricSource
  readonly external?: MetricSource
}

/** autoscaling/v1 has fields for CPU only and keeps other metrics, with other field names, in annotations. */
export function annotatedMetrics(
  annotations: Readonly<Record<string, string>> | undefined,
  which: 'metrics' | 'current-metrics',
): Metric[] {
  const text = annotations?.[`autoscaling.alpha.kubernetes.io/${which}`]
  if (text === undefined) return []
  try {
    const metrics: unknown = JSON.parse(text)
    return Array.isArray(metrics) ? metrics.map(fromFirstVersion) : []
  } catch {
    // Annotations may have any content, so invalid ones are ignored.
    return []
  }
}

type FlatSource = Readonly<Record<string, unknown>>

const sources = ['resource', 'containerResource', 'pods', 'object', 'external'] as const

function fromFirstVersion(flat: unknown): Metric {
  const given = (flat ?? {}) as Readonly<Record<string, FlatSource>> & { readonly type?: string }
  const nested = sources
    .filter((source) => given[source] !== undefined)
    .map((source) => [source, nestedSource(given[source] ?? {})])
  return {
    ...(given.type === undefined ? {} : { type: given.type }),
    ...Object.fromEntries(nested),
  }
}

function nestedSource(flat: FlatSource): MetricSource {
  const target = metricValue(flat, 'target')
  const current = metricValue(flat, 'current')
  return {
    ...(typeof flat.name === 'string' ? { name: flat.name } : {}),
    ...(target === undefined ? {} : { target }),
    ...(current === undefined ? {} : { current }),
  }
}

function metricValue(flat: FlatSource, side: 'target' | 'current'): MetricValue | undefined {
  const value = {
    averageUtilization: flat[`${side}AverageUtilization`],
    averageValue: flat[`${side}AverageValue`],
    value: flat[`${side}Value`],
  }
  const set = Object.entries(value).filter(([, part]) => part !== undefined)
  return set.length === 0 ? undefined : (Object.fromEntries(set) as MetricValue)
}
