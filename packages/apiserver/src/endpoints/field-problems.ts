import { scanFields } from './duplicate-fields.ts'

/**
 * The unknown and repeated fields of a JSON text in the order in which Go's strict decoder meets them, each once. It
 * does not look into unknown fields.
 */
export function fieldProblems(text: string, unknown: readonly string[]): string[] {
  const unknownPaths = new Set(unknown)
  const problems = new Set<string>()
  let skipped: string | undefined
  scanFields(text, (path, isRepeated) => {
    if (skipped !== undefined && isBelow(path, skipped)) return
    skipped = unknownPaths.has(path) ? path : undefined
    if (skipped !== undefined) problems.add(unknownField(path))
    else if (isRepeated) problems.add(duplicateField(path))
  })
  return [...problems.union(new Set(unknown.map(unknownField)))]
}

/** Unknown fields of YAML, which Go converts to JSON with sorted keys before it decodes it. */
export function sortedFields(unknown: readonly string[]): string[] {
  return unknown
    .map((path) => ({ path, parts: path.split(/[.[\]]+/) }))
    .sort((a, b) => compareParts(a.parts, b.parts))
    .map(({ path }) => unknownField(path))
}

export function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`
}

export function duplicateField(path: string): string {
  return `duplicate field ${JSON.stringify(path)}`
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`)
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (part === other) continue
    const isIndex = /^\d+$/.test(part) && /^\d+$/.test(other)
    return isIndex ? Number(part) - Number(other) : part < other ? -1 : 1
  }
  return a.length - b.length
}
