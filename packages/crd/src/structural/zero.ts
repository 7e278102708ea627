/** Whether a keyword of a schema is unset: absent, or a zero value, which Go does not distinguish from absent. */
export function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true
  if (typeof value !== 'object') return false
  return Object.keys(value).length === 0
}
