import { type Declaration, type Environment, listSettings } from './setting.ts'

interface UnknownVariable {
  readonly env: string
  /** The most similar declared name, if one is similar enough. */
  readonly suggestion?: string
}

/**
 * Finds variables with the prefix that are not declared. Most are typing errors, but callers should only warn about
 * them: other programs in the pod may have variables of their own. Several declarations are passed as groups of one.
 */
export function findUnknown(
  declaration: Declaration,
  env: Environment,
  prefix: string,
): readonly UnknownVariable[] {
  const known = new Set(listSettings(declaration).map(({ setting }) => setting.env))
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.has(name) && !serviceLinkPattern.test(name))
    .toSorted()
    .map((name) => {
      const suggestion = closest(name, known)
      return suggestion === undefined ? { env: name } : { env: name, suggestion }
    })
}

// Kubernetes sets these in every pod for a Service whose name yields the prefix.
const serviceLinkPattern =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/

function closest(name: string, known: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(name, candidate)
    if (best === undefined || distance < best.distance) best = { name: candidate, distance }
  }
  // A name that differs in more than a few characters is not similar.
  return best !== undefined && best.distance <= maxDistance ? best.name : undefined
}

const maxDistance = 4

/** The Levenshtein distance, computed row by row. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > maxDistance) return Number.POSITIVE_INFINITY
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
