import { type Declaration, type Environment, listSettings } from './setting.ts'

export interface UnknownVariable {
  readonly env: string
  /** The declared name that was probably meant. */
  readonly suggestion?: string
}

/**
 * Variables with the prefix that nothing declares: most are typing errors. Worth a warning, never an error, since
 * other programs in the pod may have variables of their own. To look in several declarations, pass them as groups.
 */
export function findUnknown(
  declaration: Declaration,
  env: Environment,
  prefix: string,
): readonly UnknownVariable[] {
  const known = new Set(listSettings(declaration).map(({ setting }) => setting.env))
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.has(name) && !SERVICE_LINK.test(name))
    .toSorted()
    .map((name) => {
      const suggestion = closest(name, known)
      return suggestion === undefined ? { env: name } : { env: name, suggestion }
    })
}

// Set by Kubernetes in every pod for a Service whose name happens to give the prefix.
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/

function closest(name: string, known: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(name, candidate)
    if (best === undefined || distance < best.distance) best = { name: candidate, distance }
  }
  // Beyond a few characters the nearest name is a coincidence.
  return best !== undefined && best.distance <= MAX_DISTANCE ? best.name : undefined
}

const MAX_DISTANCE = 4

/** Insertions, deletions and replacements from one to the other, computed row by row. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[to.length] ?? 0
}
