import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { isJsonObject } from '../../json/json-value.ts'
import { forbiddenValue, invalidValue, requiredValue } from '../../rest/field-errors.ts'
import { dnsSubdomain, pathSegment } from '../../rest/name-rules.ts'
import { type Fields, number, part, parts, text } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'
import { labelSelectorErrors } from '../validation/label-selector.ts'
import { immutable, nonNegative } from '../validation/words.ts'

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

export const nodeRules: KindRules = {
  keepsStatus: true,
  prepareForUpdate(next, old) {
    const before = part(old, 'spec')
    // The range of a node is given once, and often left out by those who update it.
    for (const name of ['podCIDR', 'podCIDRs', 'providerID']) {
      const after = part(next, 'spec')
      if (after[name] === undefined && before[name] !== undefined) after[name] = before[name]
    }
  },
  selectable: {
    'spec.unschedulable': (node) => String(part(node, 'spec').unschedulable === true),
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

export const disruptionBudgetRules: KindRules = {
  generation: true,
  requiresVersion: true,
  validate(budget) {
    const spec = part(budget, 'spec')
    const errors: FieldError[] = []
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      errors.push(
        invalidValue(
          'spec',
          {
            MinAvailable: spec.minAvailable,
            Selector: spec.selector ?? null,
            MaxUnavailable: spec.maxUnavailable,
            UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
          },
          'minAvailable and maxUnavailable cannot be both set',
        ),
      )
    }
    return isJsonObject(spec.selector)
      ? [...errors, ...labelSelectorErrors(spec.selector, 'spec.selector')]
      : errors
  },
}

export const autoscalerRules: KindRules = {
  nameRule: pathSegment,
  validate(autoscaler) {
    const spec = part(autoscaler, 'spec')
    const errors: FieldError[] = []
    const min = number(spec, 'minReplicas') ?? 1
    const max = number(spec, 'maxReplicas') ?? 0
    if (min < 1) {
      errors.push(invalidValue('spec.minReplicas', min, 'must be greater than or equal to 1'))
    }
    if (max < 1) {
      errors.push(requiredValue('spec.maxReplicas', 'must be set and greater than 0'))
    }
    if (max < min) {
      errors.push(
        invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'),
      )
    }
    const target = part(spec, 'scaleTargetRef')
    for (const name of ['kind', 'name']) {
      if (text(target, name) === '') errors.push(requiredValue(`spec.scaleTargetRef.${name}`, ''))
    }
    const version = text(target, 'apiVersion')
    if (!version.includes('/') && text(target, 'kind') !== 'ReplicationController') {
      const why = 'apiVersion must specify API group'
      errors.push(invalidValue('spec.scaleTargetRef.apiVersion', version, why))
    }
    return errors
  },
}

export const ingressRules: KindRules = {
  generation: true,
  validate(ingress) {
    const spec = part(ingress, 'spec')
    const errors: FieldError[] = []
    if (parts(spec, 'rules').length === 0 && spec.defaultBackend === undefined) {
      errors.push(
        invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified'),
      )
    }
    for (const [index, rule] of parts(spec, 'rules').entries()) {
      errors.push(...hostErrors(text(rule, 'host'), `spec.rules[${index}].host`))
      if (rule.http !== undefined) {
        errors.push(...pathErrors(part(rule, 'http'), `spec.rules[${index}].http.paths`))
      }
    }
    return errors
  },
}

export const ingressClassRules: KindRules = {
  generation: true,
  validate: (ingressClass) =>
    text(part(ingressClass, 'spec'), 'controller') === ''
      ? [requiredValue('spec.controller', '')]
      : [],
  validateUpdate: (next, old) =>
    sameJson(part(next, 'spec').controller, part(old, 'spec').controller)
      ? []
      : [invalidValue('spec.controller', part(next, 'spec').controller, 'field is immutable')],
}

export const runtimeClassRules: KindRules = {
  allowCreateOnUpdate: true,
  requiresVersion: true,
  validate: (runtimeClass) =>
    text(runtimeClass, 'handler') === '' ? [requiredValue('handler', '')] : [],
  validateUpdate: (next, old) => immutable(next, old, 'handler', 'handler'),
}

export const controllerRevisionRules: KindRules = {
  validate: (revision) => {
    const errors: FieldError[] = []
    if (revision.data === null || revision.data === undefined) {
      errors.push(requiredValue('data', 'data is mandatory'))
    }
    return [...errors, ...nonNegative(revision, 'revision', '')]
  },
  validateUpdate: (next, old) => immutable(next, old, 'data', 'data'),
}

/** A name, perhaps with a star for its first part. */
function hostErrors(host: string, field: string): FieldError[] {
  if (host === '' || host.startsWith('*.')) return []
  return dnsSubdomain(host).map((message) => invalidValue(field, host, message))
}

function pathErrors(http: Fields, path: string): FieldError[] {
  if (parts(http, 'paths').length === 0) return [requiredValue(path, '')]
  return parts(http, 'paths').flatMap((one, index) => {
    const at = `${path}[${index}]`
    const errors: FieldError[] = []
    if (text(one, 'pathType') === '')
      errors.push(requiredValue(`${at}.pathType`, 'pathType must be specified'))
    const value = text(one, 'path')
    const backend = part(one, 'backend')
    if (backend.service === undefined && backend.resource === undefined) {
      errors.push(invalidValue(`${at}.backend`, '', 'resource or service backend is required'))
    }
    const rooted = one.pathType === 'Exact' || one.pathType === 'Prefix'
    if (rooted && !value.startsWith('/')) {
      errors.push(invalidValue(`${at}.path`, value, 'must be an absolute path'))
    }
    return errors
  })
}
