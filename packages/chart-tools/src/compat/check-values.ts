import { at, type ChartSnapshot, type Finding, same } from './chart-snapshot.ts'
import { inlineSchema } from './inline-schema.ts'
import { narrowings } from './narrowings.ts'
import { schemaLeaves } from './schema-leaves.ts'

/** C8: values that the older chart accepted are accepted, or rejected with the name of their successor. */
export function checkValues(
  before: ChartSnapshot,
  after: ChartSnapshot,
  removed: readonly string[],
): readonly Finding[] {
  const older = withoutRemoved(inlineSchema(before.valuesSchema))
  return narrowings(older, inlineSchema(after.valuesSchema), 'values')
    .map(({ path, problem }) => {
      const [value = '', demand] = path.slice(1).split('#')
      return { subject: value, problem: demand === undefined ? problem : `${demand}: ${problem}` }
    })
    .filter(({ subject }) => !isBelow(subject, removed))
    .map(({ subject, problem }) => ({ rule: 'C8', subject, problem: withAdvice(problem) }))
}

/** C5 for values: defaults that changed. */
export function checkDefaults(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  const now = schemaLeaves(inlineSchema(after.valuesSchema))
  return [...schemaLeaves(inlineSchema(before.valuesSchema))].flatMap(([path, leaf]) => {
    const successor = now.get(path)
    const [then, next] = [at(leaf, 'default'), at(successor, 'default')]
    if ([leaf, successor].some((one) => one === undefined || removalOf(one) !== undefined))
      return []
    const problem = `its default changed: ${JSON.stringify(then)} became ${JSON.stringify(next)}`
    return same(then, next) ? [] : [{ rule: 'C5', subject: `value ${path}`, problem }]
  })
}

function isBelow(subject: string, paths: readonly string[]): boolean {
  return paths.some((path) => subject === path || subject.startsWith(`${path}.`))
}

function withAdvice(problem: string): string {
  return problem === 'the value was removed'
    ? `${problem}: list it with its successor in files/removed-values.yaml`
    : problem
}

/** Drops values that the older chart had already removed. */
function withoutRemoved(schema: unknown): unknown {
  const properties = at(schema, 'properties')
  if (typeof properties !== 'object' || properties === null) return schema
  const left = Object.entries(properties)
    .filter(([, property]) => removalOf(property) === undefined)
    .map(([name, property]) => [name, withoutRemoved(property)])
  return { ...(schema as object), properties: Object.fromEntries(left) }
}

/** The replacement of a removed value, which the schema allows and the rendering rejects. */
export function removalOf(schema: unknown): string | undefined {
  const description = at(schema, 'description')
  const mark = 'Removed: '
  return typeof description === 'string' && description.startsWith(mark)
    ? description.slice(mark.length)
    : undefined
}
