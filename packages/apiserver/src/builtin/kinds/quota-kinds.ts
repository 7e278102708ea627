import type { FieldError } from '@agents/crd'
import { parseQuantity, quantityMilliValue, quantitySign } from '@agents/kube'
import { labelKey } from '../../metadata/name-rules.ts'
import { invalidValue } from '../../status/field-errors.ts'
import { part } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'
import { immutable } from '../validation/value-errors.ts'

export const quotaRules: KindRules = {
  validate: (quota) =>
    Object.entries(part(part(quota, 'spec'), 'hard')).flatMap(([name, amount]) => [
      ...nameErrors(name, `spec.hard[${name}]`),
      ...amountErrors(name, String(amount), `spec.hard[${name}]`),
    ]),
  validateUpdate: (next, old) =>
    immutable(part(next, 'spec'), part(old, 'spec'), 'scopes', 'spec.scopes'),
  deletion: { returnsDeleted: true },
}

const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]

/** Resource names without a domain that a quota can limit. */
const limited = new Set([
  ...counted,
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [
    name,
    `requests.${name}`,
    `limits.${name}`,
  ]),
  'requests.storage',
])

function nameErrors(name: string, path: string): FieldError[] {
  const wrong = labelKey(name).map((message) => invalidValue(path, name, message))
  if (name.includes('/')) return wrong
  const errors = wrong
  const isHugePages = /^(requests\.)?hugepages-/.test(name)
  if (wrong.length === 0 && !limited.has(name) && !isHugePages && name !== 'storage') {
    const why = 'must be a standard resource type or fully qualified'
    errors.push(invalidValue(path, name, why))
  }
  return limited.has(name) || isHugePages
    ? errors
    : [...errors, invalidValue(path, name, 'must be a standard resource for quota')]
}

function amountErrors(name: string, amount: string, path: string): FieldError[] {
  const quantity = parseQuantity(amount)
  if (quantitySign(quantity) < 0) {
    return [invalidValue(path, amount, 'must be greater than or equal to 0')]
  }
  const isWhole = quantityMilliValue(quantity) % 1000n === 0n
  return counted.includes(name) && !isWhole
    ? [invalidValue(path, amount, 'must be an integer')]
    : []
}
