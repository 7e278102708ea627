import { at, type ChartSnapshot, type Finding } from './chart-snapshot.ts'

/** C8: values that the older chart took are taken, or refused with the name of their successor. */
export function checkValues(
  before: ChartSnapshot,
  after: ChartSnapshot,
  removed: readonly string[],
): readonly Finding[] {
  return [...compare(before.valuesSchema, after.valuesSchema, '')].filter(
    ({ subject }) => !removed.some((path) => subject === path || subject.startsWith(`${path}.`)),
  )
}

function* compare(before: unknown, after: unknown, path: string): Generator<Finding> {
  if (after === undefined) {
    yield problem(path, 'the value is gone: name its successor in files/removed-values.yaml')
    return
  }
  const lost = typesOf(before).filter((type) => !accepts(after, type))
  if (lost.length > 0) yield problem(path, `it no longer takes ${lost.join(' or ')}`)
  const values = at(after, 'enum')
  if (Array.isArray(values)) {
    const then = at(before, 'enum')
    const gone = Array.isArray(then)
      ? then.filter((value) => !values.includes(value))
      : ['any text']
    if (gone.length > 0) yield problem(path, `it no longer takes ${gone.join(' or ')}`)
  }
  for (const [name, property] of Object.entries(at(before, 'properties') ?? {})) {
    // A value that was gone already has nothing to lose.
    if (String(at(property, 'description')).startsWith('Removed: ')) continue
    const child = path === '' ? name : `${path}.${name}`
    yield* compare(property, at(after, 'properties', name), child)
  }
}

function typesOf(schema: unknown): readonly string[] {
  const type = at(schema, 'type')
  if (Array.isArray(type)) return type.map(String)
  return typeof type === 'string' ? [type] : []
}

function accepts(schema: unknown, type: string): boolean {
  const types = typesOf(schema)
  return (
    types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'))
  )
}

function problem(subject: string, words: string): Finding {
  return { rule: 'C8', subject, problem: words }
}
