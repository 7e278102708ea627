import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Resource, Strategy } from '@agents/apiserver'
import type { Json, Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { createGoShapes } from '../../packages/apiserver/src/builtin/go-json/shape.ts'
import { readBuiltinTables } from '../../packages/apiserver/src/builtin/schema/tables.ts'
import type { CompactSchemas } from '../testbed/builtin/compact-schema.ts'
import { expandDefinition } from '../testbed/builtin/expand-schema.ts'

/** One kind under test: where it is served and what the field manager is told about it. */
export interface Subject {
  readonly path: string
  readonly resource: Resource
  readonly strategy: Strategy
  readonly statusStrategy: Strategy
  /** Fields of the spec that are filled in after ownership was recorded. */
  readonly allocated: readonly string[]
}

export const builtinSubject = (
  definition: string,
  [group, version, plural]: readonly [string, string, string],
  statusResets: readonly string[][] = [],
  allocated: readonly string[] = [],
): Subject => ({
  allocated,
  ...subjectOf({
    group,
    version,
    plural,
    kind: definition.slice(definition.lastIndexOf('.') + 1),
    schema: builtinSchema(definition),
    isCustom: false,
    setDefaults: () => undefined,
    prune: (object) => shapes().shape(definition, object as unknown as Record<string, unknown>),
    resets: statusResets.length === 0 ? [] : [['status']],
    statusResets,
  }),
})

export const customSubject = (
  kind: string,
  [group, version, plural]: readonly [string, string, string],
  schema: Schema,
  setDefaults: (object: KubeObject) => void,
): Subject => ({
  allocated: [],
  ...subjectOf({
    group,
    version,
    plural,
    kind,
    schema,
    isCustom: true,
    setDefaults,
    prune: () => [],
    resets: [['status']],
    statusResets: [['metadata'], ['spec']],
  }),
})

interface Facts {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly schema: Schema
  readonly isCustom: boolean
  readonly setDefaults: (object: KubeObject) => void
  readonly prune: Strategy['prune']
  readonly resets: readonly string[][]
  readonly statusResets: readonly string[][]
}

const subjectOf = (facts: Facts): Omit<Subject, 'allocated'> => {
  const { group, version, plural } = facts
  const strategyWith = (resetFields: readonly string[][]): Strategy =>
    ({ resetFields, setDefaults: facts.setDefaults, prune: facts.prune }) as unknown as Strategy
  const strategy = strategyWith(facts.resets)
  const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return {
    path: `${prefix}/namespaces/default/${plural}`,
    resource: { ...facts, strategy } as unknown as Resource,
    strategy,
    statusStrategy: strategyWith(facts.statusResets),
  }
}

/** What the server itself decodes built-in kinds with. */
const shapes = () => createGoShapes(readBuiltinTables())

const tables = (): CompactSchemas => {
  const file = '../../packages/apiserver/src/builtin/generated/schemas.json'
  return JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as CompactSchemas
}

/** With references replaced by what they refer to. */
const builtinSchema = (root: string): Schema => {
  const { definitions } = tables()
  const known = new Map<string, Schema>()
  const definitionOf = (id: string): Schema => {
    const found = known.get(id)
    if (found !== undefined) return found
    const target: Schema = {}
    known.set(id, target)
    Object.assign(target, resolve(expandDefinition(definitions[id] ?? {}) as unknown as Json))
    return target
  }
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve)
    if (value === null || typeof value !== 'object') return value
    if (typeof value.$ref === 'string') return definitionOf(value.$ref) as Json
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]))
  }
  return definitionOf(root)
}
