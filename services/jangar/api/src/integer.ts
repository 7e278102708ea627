import { integer, type Typed } from '@agents/crd'

export function int32(description: string): Typed<number> {
  return integer(description, { format: 'int32' })
}

/** Counts and durations: whole, zero or more. */
export function nonNegativeInt32(description: string): Typed<number> {
  return integer(description, { format: 'int32', minimum: 0 })
}

export function nonNegativeInt64(description: string): Typed<number> {
  return integer(description, { format: 'int64', minimum: 0 })
}
