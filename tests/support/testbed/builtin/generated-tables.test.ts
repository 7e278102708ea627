import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generatedDirectory } from './builtin-tables.ts'
import type { CompactResource } from './compact-discovery.ts'
import type { CompactSchemas } from './compact-schema.ts'
import { expandDefinition } from './expand-schema.ts'
import { builtinGroupVersions } from './group-versions.ts'
import type { OpenApiSchema } from './open-api.ts'
import type { ProtobufTable } from './protobuf-fields.ts'

function read<T>(file: string): T {
  const content: T = JSON.parse(readFileSync(join(generatedDirectory, file), 'utf8'))
  return content
}

const { definitions } = read<CompactSchemas>('schemas.json')
const protobuf = read<ProtobufTable>('protobuf-fields.json')
const discovery = read<{ groupVersions: string[]; resources: CompactResource[] }>('discovery.json')

const expanded = new Map(
  Object.entries(definitions).map(([id, definition]) => [id, expandDefinition(definition)]),
)

const kinds = new Map(
  Object.entries(definitions).flatMap(([id, { gvk = [] }]) => gvk.map((kind) => [kind, id])),
)

const properties = [...expanded].flatMap(([id, { properties = {} }]) =>
  Object.entries(properties).map(([name, schema]) => ({ where: `${id}.${name}`, schema })),
)

function referenceOf(schema: OpenApiSchema): string | undefined {
  return (
    schema.$ref ??
    schema.allOf?.[0]?.$ref ??
    [schema.items, schema.additionalProperties]
      .filter((inner) => inner !== undefined)
      .map(referenceOf)[0]
  )
}

describe('schemas.json', () => {
  test('has every definition that a property refers to', () => {
    const missing = properties
      .map(({ schema }) => referenceOf(schema))
      .filter((id) => id !== undefined && !expanded.has(id))
    expect(missing).toEqual([])
  })

  test('has every key of a list map among the fields of its elements', () => {
    const unknown = properties.flatMap(({ where, schema }) => {
      const element = expanded.get(referenceOf(schema) ?? '')
      const keys = schema['x-kubernetes-list-map-keys'] ?? []
      const mergeKey = schema['x-kubernetes-patch-merge-key']
      const all = mergeKey === undefined ? keys : [...keys, mergeKey]
      return all.filter((key) => !(key in (element?.properties ?? {}))).map((key) => [where, key])
    })
    expect(unknown).toEqual([])
  })

  test.each([
    {
      because: 'containers merge by name',
      at: ['core.v1.PodSpec', 'containers'],
      has: { 'x-kubernetes-list-map-keys': ['name'], 'x-kubernetes-patch-merge-key': 'name' },
    },
    {
      because: 'container ports have two keys, one of them with a default',
      at: ['core.v1.Container', 'ports'],
      has: { 'x-kubernetes-list-map-keys': ['containerPort', 'protocol'] },
    },
    {
      because: 'the default protocol is TCP',
      at: ['core.v1.ContainerPort', 'protocol'],
      has: { default: 'TCP' },
    },
    {
      because: 'finalizers are a set',
      at: ['meta.v1.ObjectMeta', 'finalizers'],
      has: { 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' },
    },
    {
      because: 'a deployment strategy keeps only the keys of a patch',
      at: ['apps.v1.DeploymentSpec', 'strategy'],
      has: { 'x-kubernetes-patch-strategy': 'retainKeys' },
    },
    {
      because: 'a pod phase is an enumeration',
      at: ['core.v1.PodStatus', 'phase'],
      has: { enum: ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'] },
    },
  ])('$because', ({ at: [id = '', field = ''], has }) => {
    expect(expanded.get(id)?.properties?.[field]).toMatchObject(has)
  })
})

describe('discovery.json', () => {
  test('serves exactly the chosen group versions', () => {
    expect([...discovery.groupVersions].sort()).toEqual([...builtinGroupVersions].sort())
  })

  test('has a schema for every kind that can be written', () => {
    const written = discovery.resources.flatMap(({ gv, kind, verbs, sub = {} }) => [
      { kind: `${gv}/${kind}`, verbs },
      ...Object.values(sub).map((item) => ({
        kind: `${item.gv ?? gv}/${item.kind}`,
        verbs: item.verbs,
      })),
    ])
    const missing = written
      .filter(({ kind, verbs }) => verbs.includes('create') && !kind.endsWith('Options'))
      .filter(({ kind }) => !kinds.has(kind))
    expect(missing).toEqual([])
  })
})

describe('protobuf-fields.json', () => {
  const { messages, special } = protobuf

  const jsonNames = (id: string): string[] =>
    Object.values(messages[id] ?? {}).flatMap(([name, type, mark]) =>
      mark === 'inline' ? jsonNames(type) : [name],
    )

  test('names in each message the properties of its schema', () => {
    const checked = Object.keys(messages).filter((id) => !(id in special) && id in definitions)
    const differing = checked.filter((id) => {
      const wanted = Object.keys(definitions[id]?.props ?? {})
        .filter(notTypeMeta)
        .sort()
      return JSON.stringify(jsonNames(id).filter(notTypeMeta).sort()) !== JSON.stringify(wanted)
    })
    expect(differing).toEqual([])
    expect(checked.length).toBeGreaterThan(400)
  })

  test('treats each message that is not an object in JSON as special', () => {
    const scalarLike = Object.entries(messages)
      .filter(([id, fields]) => Object.keys(fields).length > 0 && definitions[id]?.schema)
      .map(([id]) => id)
    expect(scalarLike.filter((id) => !(id in special))).toEqual([])
  })

  test('has only messages that are declared or stand inline', () => {
    const rows = Object.values(messages).flatMap((fields) => Object.values(fields))
    const undeclared = Object.keys(messages)
      .filter((id) => !(id in definitions) && !(id in special))
      .filter((id) => !rows.some(([, type, mark]) => type === id && mark === 'inline'))
    expect(undeclared).toEqual([])
  })

  test.each([
    'v1/Namespace',
    'v1/Event',
    'events.k8s.io/v1/Event',
    'coordination.k8s.io/v1/Lease',
    'apps/v1/Deployment',
    'batch/v1/CronJob',
    'policy/v1/Eviction',
    'policy/v1/PodDisruptionBudget',
    'autoscaling/v1/Scale',
    'autoscaling/v2/HorizontalPodAutoscaler',
    'authentication.k8s.io/v1/TokenRequest',
    'authentication.k8s.io/v1/SelfSubjectReview',
    'authorization.k8s.io/v1/SelfSubjectRulesReview',
    'v1/DeleteOptions',
  ])('can decode %s', (kind) => {
    expect(messages).toHaveProperty([kinds.get(kind) ?? 'no such kind'])
  })
})

function notTypeMeta(name: string): boolean {
  return name !== 'apiVersion' && name !== 'kind'
}
