import type { MergePatch } from './object-api.ts'

/**
 * The merge patch that turns `before` into `after`; undefined when nothing has to change. Lists are replaced as a whole, as
 * RFC 7386 has it. An undefined property is an absent one.
 */
export function mergePatchBetween(before: object, after: object): MergePatch | undefined {
  const patch = difference(before, after)
  return patch === same ? undefined : (patch as MergePatch)
}

const same = Symbol('same')

function difference(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return isEqual(before, after) ? same : after
  const patch: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const change = changeOf(own(before, name), own(after, name))
    if (change !== same) Object.defineProperty(patch, name, { value: change, ...plain })
  }
  return Object.keys(patch).length === 0 ? same : patch
}

/** Assigning to a property called `__proto__` would not make one. */
const plain = { enumerable: true, writable: true, configurable: true }

function changeOf(before: unknown, after: unknown): unknown {
  if (after === undefined || after === null) return before === undefined ? same : null
  // An object where there was none is sent as it is: inside it there is nothing that could need removing.
  return isRecord(before) || !isRecord(after) ? difference(before, after) : after
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isEqual(item, b[index]))
    )
  }
  return difference(a, b) === same
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}
