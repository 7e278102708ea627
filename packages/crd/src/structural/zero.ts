/** Whether a member of a schema says nothing: absent, or the zero value that Go would not tell from absent. */
export function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true
  if (typeof value !== 'object') return false
  return Object.keys(value).length === 0
}
