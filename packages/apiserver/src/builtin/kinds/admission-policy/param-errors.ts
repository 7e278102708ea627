import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../../json/json-value.ts'
import { dns1035Label, dnsSubdomain, pathSegment } from '../../../metadata/name-rules.ts'
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../../status/field-errors.ts'
import { type Fields, part, text } from '../../fields.ts'
import { labelSelectorErrors } from '../../validation/label-selector.ts'

export function paramKindErrors(paramKind: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  const apiVersion = text(paramKind, 'apiVersion')
  if (apiVersion === '') errors.push(requiredValue(`${path}.apiVersion`, ''))
  else errors.push(...apiVersionErrors(apiVersion, `${path}.apiVersion`))
  const kind = text(paramKind, 'kind')
  if (kind === '') return [...errors, requiredValue(`${path}.kind`, '')]
  const problems = dns1035Label(kind.toLowerCase())
  if (problems.length === 0) return errors
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`
  return [...errors, invalidValue(`${path}.kind`, kind, why)]
}

function apiVersionErrors(apiVersion: string, field: string): FieldError[] {
  const pieces = apiVersion === '/' ? ['', ''] : apiVersion.split('/')
  if (pieces.length > 2) {
    return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  }
  const [group, version] = pieces.length === 1 ? ['', apiVersion] : [pieces[0] ?? '', pieces[1]]
  const errors: FieldError[] = []
  const groupProblems = group === '' ? [] : dnsSubdomain(group)
  if (groupProblems.length > 0) errors.push(invalidValue(field, group, groupProblems.join(',')))
  if (version === undefined || version === '') {
    return [...errors, invalidValue(field, apiVersion, 'version must be specified')]
  }
  const problems = dns1035Label(version)
  if (problems.length > 0) errors.push(invalidValue(field, version, problems.join(',')))
  return errors
}

export function paramRefErrors(paramRef: unknown, path: string): FieldError[] {
  if (!isJsonObject(paramRef)) return []
  const errors: FieldError[] = []
  const name = text(paramRef, 'name')
  const hasSelector = isJsonObject(paramRef.selector)
  const exclusive = 'name and selector are mutually exclusive'
  if (name !== '') {
    errors.push(
      ...pathSegment(name, false).map((message) => invalidValue(`${path}.name`, name, message)),
    )
    if (hasSelector) errors.push(forbiddenValue(`${path}.name`, exclusive))
  }
  if (hasSelector) {
    errors.push(...labelSelectorErrors(part(paramRef, 'selector'), `${path}.selector`))
    if (name !== '') errors.push(forbiddenValue(`${path}.selector`, exclusive))
  }
  if (name === '' && !hasSelector) {
    errors.push(requiredValue(path, 'one of name or selector must be specified'))
  }
  const action = text(paramRef, 'parameterNotFoundAction')
  const field = `${path}.parameterNotFoundAction`
  if (action === '') errors.push(requiredValue(field, ''))
  else if (!['Deny', 'Allow'].includes(action)) {
    errors.push(unsupportedValue(field, action, ['Deny', 'Allow']))
  }
  return errors
}
