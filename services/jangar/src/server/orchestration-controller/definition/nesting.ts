import type { Orchestration } from '@agents/jangar-api'
import { namesReferred } from './references.ts'

type Nesting =
  | { readonly kind: 'finite' }
  /** The names from the first one to the one that occurs again, or that is too deep. */
  | { readonly kind: 'circular' | 'tooDeep'; readonly names: readonly string[] }

/** An Orchestration that runs no other one has one level. */
export const mostLevels = 10

/** Follows the Orchestrations that an Orchestration runs, as far as they exist. */
export function nestingOf(
  start: Orchestration,
  find: (name: string) => Orchestration | undefined,
): Nesting {
  const levels = new Map<string, number>()
  const path: string[] = []
  let found: Nesting = { kind: 'finite' }
  /** The levels from this one down; recursion is no deeper than the limit. */
  const visit = (one: Orchestration): number => {
    const { name } = one.metadata
    const known = levels.get(name)
    if (known !== undefined && path.length + known <= mostLevels) return known
    const isCircular = path.includes(name)
    path.push(name)
    if (isCircular || path.length > mostLevels) {
      found = { kind: isCircular ? 'circular' : 'tooDeep', names: [...path] }
      return 0
    }
    let below = 0
    for (const other of namesReferred(one, 'Orchestration')) {
      const next = find(other)
      if (next === undefined) continue
      below = Math.max(below, visit(next))
      if (found.kind !== 'finite') return 0
    }
    path.pop()
    levels.set(name, below + 1)
    return below + 1
  }
  visit(start)
  return found
}
