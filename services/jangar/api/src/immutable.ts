import type { ValidationRule } from '@agents/crd'

/**
 * Refuses any later change of these fields, of their appearing and disappearing too, and names the first that was changed.
 *
 * Most writes are of the status, and rules are asked at each of them. For every field that a rule looks up, Kubernetes copies
 * the schemas of all fields beside it, so that a rule per field made up a quarter of the cost of a write. The whole is compared
 * first, and one field after the other only when it differs.
 */
export function immutableFields(names: readonly string[], message: string): ValidationRule {
  const last = names.at(-1) ?? ''
  const changed = names.slice(0, -1).map((name) => `!(${isSame(name)}) ? '${name}' : `)
  return {
    rule: `self == oldSelf || (${names.map(isSame).join(' && ')})`,
    message,
    messageExpression: `(${changed.join('')}'${last}') + ': ${message}'`,
    reason: 'FieldValueForbidden',
  }
}

function isSame(name: string): string {
  return `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`
}

/** Cancelling is one-way: what was stopped stays stopped. */
export const cancelIsFinal: ValidationRule = {
  rule: '!has(oldSelf.cancel) || !oldSelf.cancel || (has(self.cancel) && self.cancel)',
  message: 'cancel cannot be taken back; create another run instead',
  reason: 'FieldValueForbidden',
  fieldPath: '.cancel',
}
