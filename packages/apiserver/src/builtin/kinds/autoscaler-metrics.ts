import { isJsonObject } from '../../json/json-value.ts'
import { type Fields, part, text } from '../fields.ts'

/** Converts a metric from autoscaling/v2 to the flat form of autoscaling/v1. */
export function metricV1({ type, ...sources }: Fields): Fields {
  return converted(type, sources, (source, kind) => {
    const { value, averageValue, averageUtilization } = part(source, 'target')
    switch (kind) {
      case 'object':
        return {
          target: source.describedObject ?? {},
          metricName: text(part(source, 'metric'), 'name'),
          // Not a pointer in v1, so it is always present.
          targetValue: value ?? '0',
          selector: part(source, 'metric').selector,
          averageValue,
        }
      case 'pods':
        return {
          metricName: text(part(source, 'metric'), 'name'),
          targetAverageValue: averageValue ?? '0',
          selector: part(source, 'metric').selector,
        }
      case 'external':
        return {
          metricName: text(part(source, 'metric'), 'name'),
          metricSelector: part(source, 'metric').selector,
          targetValue: value,
          targetAverageValue: averageValue,
        }
      default:
        return {
          name: source.name,
          targetAverageUtilization: averageUtilization,
          targetAverageValue: averageValue,
          container: source.container,
        }
    }
  })
}

export function metricV2({ type, ...sources }: Fields): Fields {
  return converted(type, sources, (source, kind) => {
    const { targetAverageValue, targetAverageUtilization } = source
    switch (kind) {
      case 'object': {
        const { averageValue } = source
        const isAverage = averageValue !== undefined
        const value = isAverage && source.targetValue === '0' ? undefined : source.targetValue
        return {
          describedObject: source.target,
          target: present({ type: isAverage ? 'AverageValue' : 'Value', value, averageValue }),
          metric: present({ name: source.metricName, selector: source.selector }),
        }
      }
      case 'pods':
        return {
          metric: present({ name: source.metricName, selector: source.selector }),
          target: { type: 'AverageValue', averageValue: targetAverageValue ?? '0' },
        }
      case 'external':
        return {
          metric: present({ name: source.metricName, selector: source.metricSelector }),
          target: present({
            type: source.targetValue === undefined ? 'AverageValue' : 'Value',
            value: source.targetValue,
            averageValue: targetAverageValue,
          }),
        }
      default:
        return {
          name: source.name,
          target: present({
            type: targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
            averageValue: targetAverageValue,
            averageUtilization: targetAverageUtilization,
          }),
          container: source.container,
        }
    }
  })
}

/** Converts the current value of a metric. */
export function measuredV1({ type, ...sources }: Fields): Fields {
  return converted(type, sources, (source, kind) => {
    const { value, averageValue, averageUtilization } = part(source, 'current')
    const { name, selector } = part(source, 'metric')
    switch (kind) {
      case 'object': {
        const target = source.describedObject ?? {}
        return { target, metricName: name, currentValue: value ?? '0', selector, averageValue }
      }
      case 'pods':
        return { metricName: name, currentAverageValue: averageValue ?? '0', selector }
      case 'external':
        return {
          metricName: name,
          metricSelector: selector,
          currentValue: value ?? '0',
          currentAverageValue: averageValue,
        }
      default:
        return {
          name: source.name,
          currentAverageUtilization: averageUtilization,
          currentAverageValue: averageValue ?? '0',
          container: source.container,
        }
    }
  })
}

export function measuredV2({ type, ...sources }: Fields): Fields {
  return converted(type, sources, (source, kind) => {
    const { currentValue, currentAverageValue, currentAverageUtilization } = source
    const metric = (selector: unknown): Fields => present({ name: source.metricName, selector })
    switch (kind) {
      case 'object':
        return {
          metric: metric(source.selector),
          current: present({ value: currentValue, averageValue: source.averageValue }),
          describedObject: source.target,
        }
      case 'pods':
        return {
          metric: metric(source.selector),
          current: present({ averageValue: currentAverageValue }),
        }
      case 'external':
        return {
          metric: metric(source.metricSelector),
          current: present({ value: currentValue, averageValue: currentAverageValue }),
        }
      default:
        return {
          name: source.name,
          current: present({
            averageValue: currentAverageValue,
            averageUtilization: currentAverageUtilization,
          }),
          container: source.container,
        }
    }
  })
}

/** Converts the sources that exist, normally the one for the type, and omits undefined fields. */
function converted(
  type: unknown,
  sources: Fields,
  convert: (source: Fields, kind: string) => Fields,
): Fields {
  const made: Fields = { type }
  for (const [kind, source] of Object.entries(sources)) {
    if (isJsonObject(source)) made[kind] = present(convert(source, kind))
  }
  return made
}

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
