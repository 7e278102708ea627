import type { ToolRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import {
  keys,
  objectOf,
  portsWith,
} from '../../agents-controller/agent-run/resolve/testing/resolution-fixture.ts'
import { resolveToolRun } from './resolve-tool-run.ts'
import { toolJob } from './tool-job.ts'
import type { ToolResolution, ToolResolutionPorts } from './tool-resolution.ts'

const owner = {
  apiVersion: 'orchestration.proompteng.ai/v1alpha1',
  kind: 'OrchestrationRun',
  name: 'graph',
  uid: 'uid-of-graph',
  controller: true,
}

function runOf(memory: object, ownerReferences: readonly object[] = [owner]): ToolRun {
  const rest = { status: {}, metadata: { ownerReferences } }
  return objectOf('ToolRun', 'graph-remember', { memory }, rest) as ToolRun
}

function memoryOf(name: string, spec: object = {}, rest = {}): KubeObject {
  const connection = { secretRef: { name: 'database' } }
  return objectOf('Memory', name, { type: 'postgres', connection, default: false, ...spec }, rest)
}

const notes = memoryOf('notes')
const database = keys('Secret', 'database', 'url')
const meaningful = memoryOf('notes', {
  embeddings: { url: 'https://models', model: 'm', secretRef: { name: 'models' } },
})
const get = { operation: 'get', key: 'a' }

function portsOf(objects: readonly KubeObject[], env = {}): ToolResolutionPorts {
  return portsWith(objects, env) as unknown as ToolResolutionPorts
}

function resolve(run: ToolRun, objects = [notes, database], env = {}): ToolResolution {
  return resolveToolRun(run, portsOf(objects, env))
}

describe('an operation on a Memory', () => {
  test('is a program of the platform that gets the connection from the Secret', () => {
    const run = runOf({ memoryRef: { name: 'notes' }, operation: 'put', key: 'a', value: '$(X) b' })
    const resolution = resolve(run)
    if (resolution.kind !== 'resolved') throw new Error(resolution.message)
    const { runner } = portsOf([]).config
    const { job } = toolJob(run, resolution.work, 1, { runner })
    const [container] = job.spec?.template.spec?.containers ?? []
    expect(container).toMatchObject({
      image: 'registry.example.com/agents/runner:1',
      command: ['agent-memory'],
      resources: { requests: { cpu: '10m', memory: '64Mi' } },
    })
    expect(container?.env).toContainEqual({
      name: 'AGENT_MEMORY_CONNECTION',
      valueFrom: { secretKeyRef: { name: 'database', key: 'url' } },
    })
    const { value = '' } = container?.env?.find((one) => one.name.endsWith('REQUEST')) ?? {}
    // Kubernetes turns `$$` into `$`, and expands nothing.
    expect(JSON.parse(value.replaceAll('$$', '$'))).toEqual({
      dataset: 'team/notes',
      operation: 'put',
      key: 'a',
      value: '$(X) b',
    })
    expect(value).toContain('$$(X)')
    expect(job.spec?.activeDeadlineSeconds).toBeGreaterThan(0)
    expect(job.metadata.labels).not.toHaveProperty(['tools.proompteng.ai/tool'])
  })

  test('gets the token of the embeddings from their Secret, and nothing else of it', () => {
    const run = runOf({ memoryRef: { name: 'notes' }, operation: 'search', query: 'a' })
    const resolution = resolve(run, [meaningful, database, keys('Secret', 'models', 'token', 'x')])
    if (resolution.kind !== 'resolved') throw new Error(resolution.message)
    const { job } = toolJob(run, resolution.work, 1, { runner: portsOf([]).config.runner })
    const [container] = job.spec?.template.spec?.containers ?? []
    expect(container?.env?.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([
      {
        name: 'AGENT_MEMORY_CONNECTION',
        valueFrom: { secretKeyRef: { name: 'database', key: 'url' } },
      },
      {
        name: 'AGENT_MEMORY_EMBEDDINGS_TOKEN',
        valueFrom: { secretKeyRef: { name: 'models', key: 'token' } },
      },
    ])
    const { value = '' } = container?.env?.find((one) => one.name.endsWith('REQUEST')) ?? {}
    expect(JSON.parse(value)).toMatchObject({ embeddings: { url: 'https://models', model: 'm' } })
    expect(value).not.toContain('secretRef')
  })

  test('uses the default Memory of its namespace, and waits for one', () => {
    const other = memoryOf('a', { default: true }, { metadata: { namespace: 'other' } })
    const own = memoryOf('b', { default: true })
    expect(resolve(runOf(get), [other, own, database])).toMatchObject({ work: { memory: 'b' } })
    expect(resolve(runOf(get), [other, notes, database])).toMatchObject({
      kind: 'waiting',
      reason: 'DependencyMissing',
    })
  })

  test.each([
    { because: 'the Memory is missing', objects: [database] },
    {
      because: 'it is in another namespace',
      objects: [memoryOf('notes', {}, { metadata: { namespace: 'other' } }), database],
    },
    { because: 'the Secret is missing', objects: [notes] },
    {
      because: 'the Secret has no such key',
      objects: [
        memoryOf('notes', { connection: { secretRef: { name: 'database', key: 'dsn' } } }),
        database,
      ],
    },
    {
      because: 'the Secret of the embeddings has no such key',
      objects: [meaningful, database, keys('Secret', 'models', 'other')],
    },
    { because: 'it is not ready', objects: [memoryOf('notes', {}, { status: {} }), database] },
  ])('waits: $because', ({ objects }) => {
    const run = runOf({ ...get, memoryRef: { name: 'notes' } })
    expect(resolve(run, objects)).toMatchObject({ kind: 'waiting' })
  })

  test.each([
    { because: 'nobody owns the run', owners: [] },
    { because: 'a Schedule owns it', owners: [{ ...owner, kind: 'Schedule' }] },
    { because: 'its owner does not control it', owners: [{ ...owner, controller: false }] },
    {
      because: 'its owner is of another group',
      owners: [{ ...owner, apiVersion: 'example.com/v1' }],
    },
  ])('is for steps only: $because', ({ owners }) => {
    const run = runOf({ ...get, memoryRef: { name: 'notes' } }, owners)
    expect(resolve(run)).toMatchObject({ kind: 'refused', reason: 'MemoryRefused' })
  })

  test.each([
    {
      because: 'other stores have no operations',
      objects: [memoryOf('notes', { type: 'redis' }), database],
      reason: 'MemoryRefused',
    },
    {
      because: 'the platform blocks the Secret',
      env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: '["database"]' },
      reason: 'SecretBlocked',
    },
    {
      because: 'the platform blocks the Secret of the embeddings',
      objects: [meaningful, database, keys('Secret', 'models', 'token')],
      env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: '["models"]' },
      reason: 'SecretBlocked',
    },
    {
      because: 'no SecretBinding allows the Secret',
      env: { JANGAR_AGENTS_CONTROLLER_SECRET_BINDING_REQUIRED: 'true' },
      reason: 'SecretNotAllowed',
    },
    {
      because: 'the Secret is the credential of a provider',
      objects: [
        notes,
        database,
        objectOf('VersionControlProvider', 'forge', {
          provider: 'github',
          auth: { token: { secretRef: { name: 'database' } } },
        }),
      ],
      reason: 'SecretBlocked',
    },
  ])('is refused: $because', ({ objects, env, reason }) => {
    const run = runOf({ ...get, memoryRef: { name: 'notes' } })
    expect(resolve(run, objects, env)).toMatchObject({ kind: 'refused', reason })
  })

  test.each([
    { because: 'it could not be read again', value: '\u{1F980}'.repeat(1000) },
    { because: 'a database cannot store it', value: 'a\0b' },
  ])('is refused before a Job exists: $because', ({ value }) => {
    const refusal = resolve(runOf({ operation: 'put', key: 'a', value }))
    expect(refusal).toMatchObject({ kind: 'refused', reason: 'InvalidParameters' })
    expect('message' in refusal && refusal.message).not.toContain(value)
  })
})

test('a run with neither a Tool nor an operation is refused', () => {
  const run = objectOf('ToolRun', 'r', {}, { status: {} }) as ToolRun
  expect(resolve(run)).toMatchObject({ kind: 'refused', reason: 'MissingToolRef' })
})
