import { join } from 'node:path'
import { readDefinition } from '@agents/crd'
import { type CustomResourceDefinition, KubeError } from '@agents/kube'
import { beforeAll, describe, expect, test } from 'vitest'
import { readDefinitionFiles } from '../definitions/definition-files.ts'
import { checkDefinitions } from './check-definitions.ts'

const { signal } = new AbortController()
const folder = join(import.meta.dirname, '../../../../../charts/agents/crds')
const changed = 'agents.agents.proompteng.ai'
let expected: readonly CustomResourceDefinition[]

beforeAll(async () => {
  expected = (await readDefinitionFiles(folder)).map(({ yaml }) => readDefinition(yaml))
})

type Change = (definition: CustomResourceDefinition) => CustomResourceDefinition | KubeError

/** Checks a cluster that serves all expected definitions, one of them changed. */
function check(change: Change = (definition) => definition) {
  const get = async (_: unknown, { name }: { name: string }) => {
    const ours = expected.find(({ metadata }) => metadata.name === name)
    if (ours === undefined) throw new Error(`nobody has to ask for ${name}`)
    const found = { ...structuredClone(ours), status: established() }
    const answer = name === changed ? change(found) : found
    if (answer instanceof KubeError) throw answer
    return answer
  }
  // The signature is generic, and every object here is a definition.
  return checkDefinitions({ client: { get: get as never }, expected, signal })
}

function established() {
  return {
    conditions: ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' as const })),
    storedVersions: ['v1alpha1'],
  }
}

function refused(code: number, reason: string) {
  return new KubeError(reason, { code, reason })
}

/** The properties of the spec in the first version, to be changed in place. */
function fieldsOf({ spec }: CustomResourceDefinition) {
  const [version] = spec.versions as unknown as [
    { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } },
  ]
  return version.schema.openAPIV3Schema.properties.spec.properties as Record<string, object>
}

test('is good if all definitions match this build', async () => {
  expect(await check()).toEqual({
    about: 'crds',
    verdict: 'good',
    says: `all ${expected.length} kinds are served in the versions of this build`,
  })
})

test('fails if this build contains no definitions', async () => {
  const client = { get: () => Promise.reject(new Error('nobody has to ask')) }
  expect(await checkDefinitions({ client, expected: [], signal })).toMatchObject({ verdict: 'bad' })
})

test('is good if a definition has additional fields, as after a rollback', async () => {
  const finding = await check((definition) => {
    fieldsOf(definition).novelty = { type: 'string' }
    return definition
  })
  expect(finding).toMatchObject({
    verdict: 'good',
    says: expect.stringMatching(/; 1 with other definitions/),
  })
})

describe('is bad', () => {
  test.each<{ because: string; change: Change; says: string }>([
    {
      because: 'it was deleted',
      change: () => refused(404, 'NotFound'),
      says: 'is not installed',
    },
    {
      because: 'reading it is forbidden',
      change: () => refused(403, 'Forbidden'),
      says: 'cannot be read: permission denied',
    },
    {
      because: 'its names conflict with another definition',
      change: (definition) => ({
        ...definition,
        status: {
          conditions: [{ type: 'NamesAccepted', status: 'False', message: '"ag" is taken' }],
        },
      }),
      says: 'is not served under its names: "ag" is taken',
    },
    {
      because: 'the API server has not processed it yet',
      change: ({ status: _, ...definition }) => definition,
      says: 'is not served under its names',
    },
    {
      because: 'its version is not served',
      change: (definition) => {
        for (const version of definition.spec.versions) version.served = false
        return definition
      },
      says: 'is not served as v1alpha1',
    },
    {
      because: 'a newer release has stored objects in a newer version',
      change: (definition) => {
        definition.spec.versions.push({ name: 'v2', served: true, storage: true })
        return { ...definition, status: { ...established(), storedVersions: ['v1alpha1', 'v2'] } }
      },
      says: 'may have objects stored as v2',
    },
    {
      because: 'it is cluster-scoped',
      change: (definition) => ({ ...definition, spec: { ...definition.spec, scope: 'Cluster' } }),
      says: 'is Cluster, but must be Namespaced',
    },
    {
      because: 'it has no status subresource',
      change: (definition) => {
        for (const version of definition.spec.versions) Object.assign(version, { subresources: {} })
        return definition
      },
      says: 'has no status subresource in v1alpha1',
    },
    {
      because: 'it lacks a field',
      change: (definition) => {
        delete fieldsOf(definition).memoryRef
        return definition
      },
      says: 'is older than this build (it lacks v1alpha1 .spec.memoryRef',
    },
  ])('when $because', async ({ change, says }) => {
    expect(await check(change)).toMatchObject({
      verdict: 'bad',
      says: expect.stringContaining(`${changed} ${says}`),
      advice: [expect.stringContaining('kubectl apply')],
    })
  })
})
