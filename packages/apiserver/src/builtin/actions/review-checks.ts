import type { FieldError } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { isJsonObject } from '../../json/json-value.ts'
import { badRequest, invalid } from '../../status/api-error.ts'
import { invalidValue } from '../../status/field-errors.ts'
import { part, text, texts } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

/** Rejects an incomplete access review. With `forOthers` it must name a user or group. */
export function checkAccessReview(review: KubeObject, forOthers: boolean): void {
  const spec = part(review as BuiltinObject, 'spec')
  const errors: FieldError[] = []
  const { resourceAttributes, nonResourceAttributes } = spec
  if (resourceAttributes !== undefined && isJsonObject(nonResourceAttributes)) {
    const { path = '', verb = '' } = nonResourceAttributes
    errors.push(
      invalidValue(
        'spec.nonResourceAttributes',
        { Path: path, Verb: verb },
        'cannot be specified in combination with resourceAttributes',
      ),
    )
  } else if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    errors.push(
      invalidValue(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    )
  }
  if (forOthers && text(spec, 'user') === '' && texts(spec, 'groups').length === 0) {
    errors.push(invalidValue('spec.user', '', 'at least one of user or group must be specified'))
  }
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors)
}

export function checkTokenReview(review: KubeObject): void {
  if (text(part(review as BuiltinObject, 'spec'), 'token') === '') {
    throw badRequest('token is required for TokenReview in authentication')
  }
}
