/** A deep copy; objects in the store must never be changed in place. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value as unknown[]
    const copy = new Array<unknown>(items.length)
    for (let index = 0; index < items.length; index++) copy[index] = copyJson(items[index])
    return copy as T
  }
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key]
    // Assigning __proto__ would set the prototype instead of a field.
    if (key === '__proto__') defineField(copy, key, copyJson(part))
    else copy[key] = typeof part === 'object' ? copyJson(part) : part
  }
  return copy as T
}

/** Equal as JSON: the order of keys does not matter, 1 and 1n are the same integer. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint')
    return isNumeric(a) && isNumeric(b) && String(a) === String(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => equalJson(item, b[index]))
  }
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left).filter((key) => left[key] !== undefined)
  const others = Object.keys(right).filter((key) => right[key] !== undefined)
  if (keys.length !== others.length) return false
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]))
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function defineField(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
