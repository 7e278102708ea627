import type { ValidationRule } from '@agents/crd'

/** For a required field: whatever is mirrored already would be left behind, unowned, in the old place. */
export function immutable(message: string): ValidationRule {
  return { rule: 'self == oldSelf', message, reason: 'FieldValueForbidden' }
}
