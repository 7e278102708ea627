import { isList, type Json } from './surface.ts'

/**
 * One line for each difference between two surfaces, sorted by path: `+` for what was added, `-` for what was
 * removed, `~` for what has changed. Lists of plain values are compared as sets, other lists by position.
 */
export function differences(before: Json, after: Json): string[] {
  const old = new Map(leaves(before, ''))
  const now = new Map(leaves(after, ''))
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return paths.flatMap((path) => {
    const [a, b] = [old.get(path), now.get(path)]
    if (a === b) return []
    if (a === undefined) return [`+ ${path}${b}`]
    if (b === undefined) return [`- ${path}${a}`]
    return [`~ ${path}${a} ->${b}`]
  })
}

type Leaf = readonly [path: string, text: string]

function leaves(value: Json, path: string): Leaf[] {
  if (isList(value)) {
    if (value.length === 0) return [[path, ' = []']]
    const isSet = value.every((item) => typeof item !== 'object' || item === null)
    return isSet
      ? value.map((item) => [`${path}[${JSON.stringify(item)}]`, ''] as const)
      : value.flatMap((item, index) => leaves(item, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return [[path, ` = ${JSON.stringify(value)}`]]
  const entries = Object.entries(value).filter(([, child]) => child !== undefined)
  if (entries.length === 0) return [[path, ' = {}']]
  return entries.flatMap(([key, child]) =>
    leaves(child ?? null, path === '' ? key : `${path} / ${key}`),
  )
}
