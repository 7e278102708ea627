import type { ValidationRule } from '@agents/crd'

/**
 * Refuses any later change of a field, of its appearing and disappearing too, and names it. One rule per field keeps the
 * estimated cost of each far below Kubernetes' limit, and the refusal points at what was changed.
 */
export function immutableField(name: string, message: string): ValidationRule {
  return {
    rule: `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`,
    message,
    reason: 'FieldValueForbidden',
    fieldPath: `.${name}`,
  }
}

/** Cancelling is one-way: what was stopped stays stopped. */
export const cancelIsFinal: ValidationRule = {
  rule: '!has(oldSelf.cancel) || !oldSelf.cancel || (has(self.cancel) && self.cancel)',
  message: 'cancel cannot be taken back; create another run instead',
  reason: 'FieldValueForbidden',
  fieldPath: '.cancel',
}
