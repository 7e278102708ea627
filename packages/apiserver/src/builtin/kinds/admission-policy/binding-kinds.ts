import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../../json/json-value.ts'
import { dnsSubdomain } from '../../../metadata/name-rules.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../../status/field-errors.ts'
import { type Fields, part, text, texts } from '../../fields.ts'
import type { KindRules } from '../../strategy/kind-rules.ts'
import { duplicateValue } from '../../validation/value-errors.ts'
import { matchResourcesErrors, mutatingOperationErrors } from './match-errors.ts'
import { paramRefErrors } from './param-errors.ts'
import { reservedNameWarnings } from './reserved-names.ts'

export const validatingBindingRules: KindRules = {
  generation: true,
  requiresVersion: true,
  checksEnums: true,
  validate(binding) {
    const spec = part(binding, 'spec')
    return [...bindingErrors(spec), ...actionErrors(spec)]
  },
  warnings: reservedNameWarnings,
}

export const mutatingBindingRules: KindRules = {
  generation: true,
  requiresVersion: true,
  checksEnums: true,
  validate(binding) {
    const spec = part(binding, 'spec')
    const match = part(spec, 'matchResources')
    return [...bindingErrors(spec), ...mutatingOperationErrors(match, 'spec.matchResources')]
  },
  warnings: reservedNameWarnings,
}

function bindingErrors(spec: Fields): FieldError[] {
  const policyName = text(spec, 'policyName')
  return [
    ...(policyName === ''
      ? [requiredValue('spec.policyName', '')]
      : dnsSubdomain(policyName).map((why) => invalidValue('spec.policyName', policyName, why))),
    ...paramRefErrors(spec.paramRef, 'spec.paramRef'),
    ...(isJsonObject(spec.matchResources)
      ? matchResourcesErrors(spec.matchResources, 'spec.matchResources')
      : []),
  ]
}

const actions = ['Audit', 'Deny', 'Warn']

function actionErrors(spec: Fields): FieldError[] {
  const path = 'spec.validationActions'
  const given = texts(spec, 'validationActions')
  const errors: FieldError[] = []
  for (const [index, action] of given.entries()) {
    if (!actions.includes(action))
      errors.push(unsupportedValue(`${path}[${index}]`, action, actions))
    if (given.indexOf(action) < index) errors.push(duplicateValue(`${path}[${index}]`, action))
  }
  if (given.includes('Deny') && given.includes('Warn')) {
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
    errors.push(invalidValue(path, given, why))
  }
  if (given.length > 0) return errors
  return [...errors, requiredValue(path, 'at least one validation action is required')]
}
