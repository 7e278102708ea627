import type { FieldError } from '@agents/crd'
import { forbiddenValue, invalidValue, requiredValue } from '../../status/field-errors.ts'
import { number, part, text } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'
import { immutable, nonNegative } from '../validation/value-errors.ts'

export const nodeRules: KindRules = {
  keepsStatus: true,
  prepareForUpdate(next, old) {
    const before = part(old, 'spec')
    // The pod range is set once and often omitted in updates.
    for (const name of ['podCIDR', 'podCIDRs', 'providerID']) {
      const after = part(next, 'spec')
      if (after[name] === undefined && before[name] !== undefined) after[name] = before[name]
    }
  },
  selectable: {
    'spec.unschedulable': (node) => String(part(node, 'spec').unschedulable === true),
  },
}

export const leaseRules: KindRules = {
  allowCreateOnUpdate: true,
  requiresVersion: true,
  validate(lease) {
    const spec = part(lease, 'spec')
    const errors: FieldError[] = []
    const duration = number(spec, 'leaseDurationSeconds')
    if (duration !== undefined && duration <= 0) {
      errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
    }
    return [...errors, ...nonNegative(spec, 'leaseTransitions', 'spec')]
  },
}

export const priorityClassRules: KindRules = {
  generation: true,
  validate(priority) {
    const { name } = priority.metadata
    const value = number(priority, 'value') ?? 0
    if (name.startsWith('system-') && systemPriorities[name] !== value) {
      return [
        forbiddenValue(
          'metadata.name',
          "priority class names with 'system-' prefix are reserved for system use only. error: " +
            `${name} is not a known system priority class`,
        ),
      ]
    }
    return value > 1_000_000_000 && !name.startsWith('system-')
      ? [forbiddenValue('value', 'maximum allowed value of a user defined priority is 1000000000')]
      : []
  },
  validateUpdate: (next, old) => [
    ...((number(next, 'value') ?? 0) === (number(old, 'value') ?? 0)
      ? []
      : [forbiddenValue('value', 'may not be changed in an update.')]),
    ...immutable(next, old, 'preemptionPolicy', 'preemptionPolicy'),
  ],
}

const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

export const runtimeClassRules: KindRules = {
  allowCreateOnUpdate: true,
  requiresVersion: true,
  validate: (runtimeClass) =>
    text(runtimeClass, 'handler') === '' ? [requiredValue('handler', '')] : [],
  validateUpdate: (next, old) => immutable(next, old, 'handler', 'handler'),
}
