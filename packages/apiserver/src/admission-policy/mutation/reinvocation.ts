/** Tracks which policies run again: those with reinvocation, if a later policy mutated the object. */
export interface Reinvocation {
  /** Whether this is the second pass. */
  isSecond: boolean
  /** True once a policy has mutated the object, so that the built-in plugins run again. */
  isWanted: boolean
  readonly invoked: Set<string>
  readonly again: Set<string>
}

export function createReinvocation(): Reinvocation {
  return {
    isSecond: false,
    isWanted: false,
    invoked: new Set(),
    again: new Set(),
  }
}

/** Marks the policies with reinvocation that were invoked so far. */
export function requireReinvocation({ invoked, again }: Reinvocation): void {
  for (const key of invoked) again.add(key)
  invoked.clear()
}
