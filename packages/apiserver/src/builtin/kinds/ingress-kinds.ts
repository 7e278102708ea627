import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { dnsSubdomain } from '../../metadata/name-rules.ts'
import { invalidValue, requiredValue } from '../../status/field-errors.ts'
import { type Fields, part, parts, text } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'

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

/** Validates a host name whose first label may be a wildcard. */
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
