import { at, type ChartSnapshot, type Finding, same } from './chart-snapshot.ts'
import { lossesOnRevert } from './check-definitions.ts'
import { removalOf } from './check-values.ts'
import { inlineSchema } from './inline-schema.ts'
import { schemaLeaves } from './schema-leaves.ts'
import { type Refusal, schemaRefusals } from './schema-refusals.ts'
import { type Values, withDefaults } from './values-file.ts'

/** Values that the chart is installed with. */
export interface ValuesFile {
  readonly name: string
  readonly values: Values
}

/** The changes to the values of the chart since a release, and the current values that the release would reject. */
export interface ValuesReport {
  readonly since: string
  readonly added: readonly { readonly path: string; readonly default: unknown }[]
  /** Removed without a named successor. */
  readonly removed: readonly { readonly path: string }[]
  readonly renamed: readonly { readonly path: string; readonly instead: string }[]
  readonly defaults: readonly Changed[]
  readonly types: readonly Changed[]
  readonly files: readonly { readonly file: string; readonly refused: readonly Refusal[] }[]
  /** What custom resources that use new fields lose if the older CRDs are restored. */
  readonly definitions: readonly Pick<Finding, 'subject' | 'problem'>[]
}

interface Changed {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

export function reportValues(
  since: string,
  before: ChartSnapshot,
  after: ChartSnapshot,
  files: readonly ValuesFile[],
): ValuesReport {
  const older = inlineSchema(before.valuesSchema)
  const then = schemaLeaves(older)
  const now = schemaLeaves(inlineSchema(after.valuesSchema))
  const defaults = defaultsOf(older)
  const gone = [...then].filter(([path, leaf]) => isGone(now.get(path)) && !isGone(leaf))
  const kept = [...then].filter(([path, leaf]) => !isGone(leaf) && !isGone(now.get(path)))
  const pair = (path: string, of: (leaf: unknown) => unknown): Changed => ({
    path,
    before: of(then.get(path)),
    after: of(now.get(path)),
  })
  const changes = (of: (leaf: unknown) => unknown) =>
    kept.map(([path]) => pair(path, of)).filter((one) => !same(one.before, one.after))
  return {
    since,
    added: [...now]
      .filter(([path, leaf]) => !isGone(leaf) && isGone(then.get(path)))
      .map(([path, leaf]) => ({ path, default: at(leaf, 'default') })),
    removed: gone
      .filter(([path]) => insteadOf(path, now) === undefined)
      .map(([path]) => ({ path })),
    renamed: gone.flatMap(([path]) => {
      const instead = insteadOf(path, now)
      return instead === undefined ? [] : [{ path, instead }]
    }),
    defaults: changes((leaf) => at(leaf, 'default')),
    types: changes(demandsOf),
    files: files.map(({ name, values }) => ({
      file: name,
      refused: refusedBy(older, withDefaults(values, defaults)),
    })),
    definitions: lossesOnRevert(before, after).map(({ subject, problem }) => ({
      subject,
      problem,
    })),
  }
}

/** The values that the schema rejects, and those that it allows and the rendering rejects. */
function refusedBy(schema: unknown, values: Values): readonly Refusal[] {
  const removed = [...schemaLeaves(schema)].flatMap(([path, leaf]) => {
    const instead = removalOf(leaf)
    const steps = path.split('.')
    const parent = at(values, ...steps.slice(0, -1))
    const isSet = Object.hasOwn(Object(parent), steps.at(-1) ?? '')
    return instead === undefined || !isSet
      ? []
      : [{ path, problem: `the value was removed: ${instead}` }]
  })
  return [...schemaRefusals(schema, values), ...removed]
}

function defaultsOf(schema: unknown): Values {
  const properties = Object.entries(at(schema, 'properties') ?? {})
  return Object.fromEntries(
    properties.flatMap(([name, property]) => {
      if (removalOf(property) !== undefined) return []
      const fallback: unknown = at(property, 'default')
      return [[name, fallback === undefined ? defaultsOf(property) : fallback]]
    }),
  )
}

function isGone(leaf: unknown): boolean {
  return leaf === undefined || removalOf(leaf) !== undefined
}

/** The replacement of the value itself, or of a group that contained it. */
function insteadOf(path: string, now: ReadonlyMap<string, unknown>): string | undefined {
  const steps = path.split('.')
  return steps
    .map((_, index) => removalOf(now.get(steps.slice(0, index + 1).join('.'))))
    .find((instead) => instead !== undefined)
}

function demandsOf(leaf: unknown): unknown {
  const { default: _, description: __, ...demands } = leaf as Record<string, unknown>
  return demands
}
