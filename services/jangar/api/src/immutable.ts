import type { ValidationRule } from '@agents/crd'

/**
 * Refuses any change of these fields, including adding and removing them, and names the first field that was changed.
 *
 * Most writes change the status, and rules are evaluated for each of them. For every field that a rule reads,
 * Kubernetes copies the schemas of all sibling fields: one rule per field took a quarter of the time of a write.
 * Therefore the whole spec is compared first, and single fields only if it differs.
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

/** A cancelled run stays cancelled. */
export const cancelIsFinal: ValidationRule = {
  rule: '!has(oldSelf.cancel) || !oldSelf.cancel || (has(self.cancel) && self.cancel)',
  message: 'cancel cannot be reverted; create another run instead',
  reason: 'FieldValueForbidden',
  fieldPath: '.cancel',
}

/** For a kind whose spec may be omitted: removing the spec would be a way to change it. */
export const specStays: ValidationRule = {
  rule: '!has(oldSelf.spec) || has(self.spec)',
  message: 'spec: cannot be removed; create another run instead',
  reason: 'FieldValueForbidden',
}
