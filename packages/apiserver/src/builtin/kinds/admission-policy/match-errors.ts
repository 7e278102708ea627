import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../../json/json-value.ts'
import { pathSegment } from '../../../metadata/name-rules.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../../status/field-errors.ts'
import { type Fields, part, parts, text, texts } from '../../fields.ts'
import { labelSelectorErrors } from '../../validation/label-selector.ts'
import { duplicateValue } from '../../validation/value-errors.ts'

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
/** Rejects DELETE in mutating policies, since there is nothing to change. */
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']
const matchPolicies = ['Equivalent', 'Exact']

/** Validates the `matchConstraints` of a policy or the `matchResources` of a binding. */
export function matchResourcesErrors(match: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  const policy = text(match, 'matchPolicy')
  if (policy === '') errors.push(requiredValue(`${path}.matchPolicy`, ''))
  else if (!matchPolicies.includes(policy)) {
    errors.push(unsupportedValue(`${path}.matchPolicy`, policy, matchPolicies))
  }
  for (const name of ['namespaceSelector', 'objectSelector']) {
    const selector = match[name]
    if (!isJsonObject(selector)) errors.push(requiredValue(`${path}.${name}`, ''))
    else errors.push(...labelSelectorErrors(selector, `${path}.${name}`))
  }
  for (const name of ['resourceRules', 'excludeResourceRules']) {
    for (const [index, rule] of parts(match, name).entries()) {
      errors.push(...ruleErrors(rule, `${path}.${name}[${index}]`))
    }
  }
  return errors
}

/** Like upstream, the path of the errors does not contain the index of the rule. */
export function mutatingOperationErrors(match: Fields, path: string): FieldError[] {
  return parts(match, 'resourceRules')
    .flatMap((rule) => texts(rule, 'operations'))
    .filter((operation) => !mutatingOperations.includes(operation))
    .map((operation) =>
      unsupportedValue(`${path}.resourceRules.operations`, operation, mutatingOperations),
    )
}

function ruleErrors(rule: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  const names = texts(rule, 'resourceNames')
  for (const [index, name] of names.entries()) {
    const at = `${path}.resourceNames[${index}]`
    errors.push(...pathSegment(name, false).map((message) => invalidValue(at, name, message)))
    if (names.indexOf(name) < index) errors.push(duplicateValue(at, name))
  }
  const wanted = texts(rule, 'operations')
  errors.push(...listErrors(wanted, `${path}.operations`, 'operations'))
  for (const [index, operation] of wanted.entries()) {
    if (operations.includes(operation)) continue
    errors.push(unsupportedValue(`${path}.operations[${index}]`, operation, operations))
  }
  errors.push(...listErrors(texts(rule, 'apiGroups'), `${path}.apiGroups`, 'API groups'))
  const versions = texts(rule, 'apiVersions')
  errors.push(...listErrors(versions, `${path}.apiVersions`, 'API versions'))
  for (const [index, version] of versions.entries()) {
    if (version === '') errors.push(requiredValue(`${path}.apiVersions[${index}]`, ''))
  }
  errors.push(...resourceErrors(texts(rule, 'resources'), `${path}.resources`))
  const scope = text(rule, 'scope')
  if (rule.scope !== undefined && !scopes.includes(scope)) {
    errors.push(unsupportedValue(`${path}.scope`, scope, scopes))
  }
  return errors
}

function listErrors(items: readonly string[], field: string, what: string): FieldError[] {
  if (items.length === 0) return [requiredValue(field, '')]
  if (items.length === 1 || !items.includes('*')) return []
  return [invalidValue(field, items, `if '*' is present, must not specify other ${what}`)]
}

function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [requiredValue(path, '')]
  const errors: FieldError[] = []
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  // Like upstream, only the last entry without a subresource counts.
  let hasPlain = false
  for (const [index, one] of resources.entries()) {
    const at = `${path}[${index}]`
    if (one === '') {
      errors.push(requiredValue(at, ''))
      continue
    }
    const slash = one.indexOf('/')
    if (slash === -1) {
      hasPlain = one !== '*'
      continue
    }
    const [main, sub] = [one.slice(0, slash), one.slice(slash + 1)]
    const covered = (pattern: string): FieldError =>
      invalidValue(at, one, `if '${pattern}' is present, must not specify ${one}`)
    if (wholeResources.has(main)) errors.push(covered(`${main}/*`))
    if (wholeSubresources.has(sub)) errors.push(covered(`*/${sub}`))
    if (sub === '*') wholeResources.add(main)
    if (main === '*') wholeSubresources.add(sub)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    const why = "if '*/*' is present, must not specify other resources"
    errors.push(invalidValue(path, resources, why))
  }
  if (resources.includes('*') && hasPlain) {
    const why = "if '*' is present, must not specify other resources without subresources"
    errors.push(invalidValue(path, resources, why))
  }
  return errors
}

/** Validates `matchConstraints` for both kinds of policies. */
export function constraintErrors(spec: Fields): FieldError[] {
  const path = 'spec.matchConstraints'
  if (!isJsonObject(spec.matchConstraints)) return [requiredValue(path, '')]
  const match = part(spec, 'matchConstraints')
  const errors = matchResourcesErrors(match, path)
  if (parts(match, 'resourceRules').length > 0) return errors
  return [...errors, requiredValue(`${path}.resourceRules`, '')]
}
