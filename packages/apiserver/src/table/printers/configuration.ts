import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { ageColumn, column, integerColumn, nameColumn, printer } from '../printer.ts'

interface ConfigMap extends KubeObject {
  data?: object
  binaryData?: object
}

interface Secret extends KubeObject {
  type?: string
  data?: object
}

interface ResourceQuota extends KubeObject {
  status?: { hard?: Record<string, Quantity>; used?: Record<string, Quantity> }
}

type Quantity = string | number

interface PodDisruptionBudget extends KubeObject {
  spec?: { minAvailable?: string | number; maxUnavailable?: string | number }
  status?: { disruptionsAllowed?: number }
}

export const configMapPrinter = printer<ConfigMap>(
  [nameColumn, column('Data', { description: 'Number of keys.' }), ageColumn],
  ({ metadata, data, binaryData }, now) => [
    metadata.name,
    countKeys(data) + countKeys(binaryData),
    age(metadata.creationTimestamp, now),
  ],
)

export const secretPrinter = printer<Secret>(
  [nameColumn, column('Type'), column('Data', { description: 'Number of keys.' }), ageColumn],
  ({ metadata, type = '', data }, now) => [
    metadata.name,
    type,
    countKeys(data),
    age(metadata.creationTimestamp, now),
  ],
)

export const nameAndAgePrinter = printer<KubeObject>(
  [nameColumn, ageColumn],
  ({ metadata }, now) => [metadata.name, age(metadata.creationTimestamp, now)],
)

export const resourceQuotaPrinter = printer<ResourceQuota>(
  [nameColumn, column('Request'), column('Limit'), ageColumn],
  ({ metadata, status }, now) => {
    const { hard = {}, used = {} } = status ?? {}
    const lines = Object.keys(hard)
      .sort()
      .map((name) => ({
        isLimit: name.startsWith('limits.'),
        text: `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`,
      }))
    const join = (wanted: boolean): string =>
      lines
        .filter(({ isLimit }) => isLimit === wanted)
        .map(({ text }) => text)
        .join(', ')
    return [metadata.name, join(false), join(true), age(metadata.creationTimestamp, now)]
  },
)

export const podDisruptionBudgetPrinter = printer<PodDisruptionBudget>(
  [
    nameColumn,
    column('Min Available'),
    column('Max Unavailable'),
    integerColumn('Allowed Disruptions'),
    ageColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    String(spec?.minAvailable ?? 'N/A'),
    String(spec?.maxUnavailable ?? 'N/A'),
    status?.disruptionsAllowed ?? 0,
    age(metadata.creationTimestamp, now),
  ],
)

function countKeys(map: object | undefined): number {
  return map === undefined || map === null ? 0 : Object.keys(map).length
}
