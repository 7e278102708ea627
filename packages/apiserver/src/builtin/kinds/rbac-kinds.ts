import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { dnsSubdomain, pathSegment } from '../../metadata/name-rules.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../status/field-errors.ts'
import { type Fields, part, parts, text, texts } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'
import { labelSelectorErrors } from '../validation/label-selector.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

export function roleRules(namespaced: boolean): KindRules {
  return {
    allowCreateOnUpdate: true,
    nameRule: pathSegment,
    validate(role) {
      const errors = parts(role, 'rules').flatMap((rule, index) =>
        ruleErrors(rule, `rules[${index}]`, namespaced),
      )
      const { clusterRoleSelectors } = part(role, 'aggregationRule')
      if (role.aggregationRule === undefined) return errors
      const selectors = parts({ clusterRoleSelectors }, 'clusterRoleSelectors')
      const at = 'aggregationRule.clusterRoleSelectors'
      if (selectors.length === 0) {
        return [
          ...errors,
          requiredValue(
            at,
            'at least one clusterRoleSelector required if aggregationRule is non-nil',
          ),
        ]
      }
      return [
        ...errors,
        ...selectors.flatMap((one, index) => labelSelectorErrors(one, `${at}[${index}]`)),
      ]
    },
  }
}

export function bindingRules(namespaced: boolean): KindRules {
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  return {
    allowCreateOnUpdate: true,
    nameRule: pathSegment,
    validate(binding) {
      const role = part(binding, 'roleRef')
      const errors: FieldError[] = []
      if (role.apiGroup !== rbacGroup) {
        errors.push(unsupportedValue('roleRef.apiGroup', role.apiGroup ?? '', [rbacGroup]))
      }
      if (!kinds.includes(text(role, 'kind'))) {
        errors.push(unsupportedValue('roleRef.kind', role.kind ?? '', kinds))
      }
      const name = text(role, 'name')
      if (name === '') errors.push(requiredValue('roleRef.name', ''))
      for (const message of pathSegment(name, false)) {
        errors.push(invalidValue('roleRef.name', name, message))
      }
      return [
        ...errors,
        ...parts(binding, 'subjects').flatMap((subject, index) =>
          subjectErrors(subject, `subjects[${index}]`, namespaced),
        ),
      ]
    },
    validateUpdate: (next, old) =>
      sameJson(next.roleRef, old.roleRef)
        ? []
        : [invalidValue('roleRef', printedRole(part(next, 'roleRef')), 'cannot change roleRef')],
  }
}

/** Formats the struct as Go prints it. */
function printedRole(role: Fields): Fields {
  return { APIGroup: role.apiGroup, Kind: role.kind, Name: role.name }
}

function ruleErrors(rule: Fields, path: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  if (texts(rule, 'verbs').length === 0) {
    errors.push(requiredValue(`${path}.verbs`, 'verbs must contain at least one value'))
  }
  const urls = texts(rule, 'nonResourceURLs')
  if (urls.length > 0) {
    const field = `${path}.nonResourceURLs`
    if (namespaced) {
      errors.push(invalidValue(field, urls, 'namespaced rules cannot apply to non-resource URLs'))
    }
    if (['apiGroups', 'resources', 'resourceNames'].some((name) => texts(rule, name).length > 0)) {
      errors.push(
        invalidValue(
          field,
          urls,
          'rules cannot apply to both regular resources and non-resource URLs',
        ),
      )
    }
    return errors
  }
  if (texts(rule, 'apiGroups').length === 0) {
    errors.push(
      requiredValue(`${path}.apiGroups`, 'resource rules must supply at least one api group'),
    )
  }
  if (texts(rule, 'resources').length === 0) {
    errors.push(
      requiredValue(`${path}.resources`, 'resource rules must supply at least one resource'),
    )
  }
  return errors
}

function subjectErrors(subject: Fields, path: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const name = text(subject, 'name')
  const group = text(subject, 'apiGroup')
  if (name === '') errors.push(requiredValue(`${path}.name`, ''))
  switch (subject.kind) {
    case 'ServiceAccount':
      if (name !== '') {
        errors.push(...dnsSubdomain(name).map((why) => invalidValue(`${path}.name`, name, why)))
      }
      if (group !== '') errors.push(unsupportedValue(`${path}.apiGroup`, group, ['']))
      if (!namespaced && text(subject, 'namespace') === '') {
        errors.push(requiredValue(`${path}.namespace`, ''))
      }
      return errors
    case 'User':
    case 'Group':
      return group === rbacGroup
        ? errors
        : [...errors, unsupportedValue(`${path}.apiGroup`, group, [rbacGroup])]
    default:
      return [
        ...errors,
        unsupportedValue(`${path}.kind`, subject.kind ?? '', ['ServiceAccount', 'User', 'Group']),
      ]
  }
}
