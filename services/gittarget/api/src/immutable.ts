import type { ValidationRule } from '@agents/crd'

/** For a required field: after a change, the files at the old location would have no owner. */
export function immutable(message: string): ValidationRule {
  return { rule: 'self == oldSelf', message, reason: 'FieldValueForbidden' }
}
