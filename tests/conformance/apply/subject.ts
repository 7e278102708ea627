import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Resource, Strategy } from '@agents/apiserver'
import type { Json, Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { createGoShapes } from '../../../packages/apiserver/src/builtin/go-json/shape.ts'
import { readBuiltinTables } from '../../../packages/apiserver/src/builtin/schema/tables.ts'
import type { CompactSchemas } from '../../support/testbed/builtin/compact-schema.ts'
import { expandDefinition } from '../../support/testbed/builtin/expand-schema.ts'

/** One kind under test: its path and the configuration of the field manager. */
export interface Subject {
  readonly path: string
  readonly resource: Resource
  readonly strategy: Strategy
  readonly statusStrategy: Strategy
  /** Fields of the spec that are defaulted after ownership was recorded. */
  readonly allocated: readonly string[]
}

export function builtinSubject(
  definition: string,
  [group, version, plural]: readonly [string, string, string],
  statusResets: readonly string[][] = [],
  allocated: readonly string[] = [],
): Subject {
  return {
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
  }
}

export function customSubject(
  kind: string,
  [group, version, plural]: readonly [string, string, string],
  schema: Schema,
  setDefaults: (object: KubeObject) => void,
): Subject {
  return {
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
  }
}

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

function subjectOf(facts: Facts): Omit<Subject, 'allocated'> {
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

/** The types that the server itself decodes built-in kinds with. */
function shapes() {
  return createGoShapes(readBuiltinTables())
}

function tables(): CompactSchemas {
  const file = '../../../packages/apiserver/src/builtin/generated/schemas.json'
  return JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as CompactSchemas
}

/** The schema with references resolved. */
function builtinSchema(root: string): Schema {
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
