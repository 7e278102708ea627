import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import { type Artifact, agentRun, artifact, toolRun } from '@agents/jangar-api'
import { JobKind, type KindRef, type KubeObject, kindRef, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, startTestApi, tokenOf } from '../testing/test-api.ts'

const audience = 'agents.proompteng.ai'
const runKind = kindRef<KubeObject>(agentRun)
const artifactKind = kindRef<Artifact>(artifact)
const folder = mkdtempSync(join(tmpdir(), 'agents-artifacts-'))
const limits = { maxBytes: 1000, maxRunBytes: 1500, maxPerRun: 3, ttlDays: 30 }

let api: Awaited<ReturnType<typeof startTestApi>>
const tokens: Record<string, string> = {}

beforeAll(async () => {
  const store = {
    store: 'file',
    folder,
    region: '',
    keyPrefix: '',
    pathStyle: true,
    ...{ endpoint: undefined, bucket: undefined },
    ...{ accessKeyId: undefined, secretAccessKey: undefined },
  } as const
  api = await startTestApi(startApiServer, {
    artifacts: { artifacts: store, artifactLimits: limits },
  })
  const read = {
    ...{ apiGroups: ['artifacts.proompteng.ai'], resources: ['artifacts'] },
    verbs: ['get', 'list'],
  }
  const runs = { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs: ['get'] }
  const pods = { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] }
  tokens.reader = await account(api.admin, 'red', 'reader', [read])
  tokens.viewer = await account(api.admin, 'red', 'viewer', [runs, pods, read])
  tokens.podReader = await account(api.admin, 'red', 'pod-reader', [runs, pods])
  tokens.nobody = await account(api.admin, 'red', 'nobody', [])
  tokens.stranger = await account(api.admin, 'blue', 'stranger', [read])
  await account(api.admin, 'red', 'runner', [])
  await account(api.admin, 'blue', 'runner', [])
  for (const run of ['one', 'two', 'many', 'bytes', 'again']) await startRun('red', run)
  await startRun('blue', 'other')
}, 120_000)

afterAll(async () => {
  await api?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const container = { name: 'main', image: 'none' }

/** A run with a Job and a pod, and the token of the pod. */
async function startRun(
  namespace: string,
  name: string,
  statusOf?: (job: string | undefined) => object,
): Promise<void> {
  const run = await api.admin.create(runKind, {
    metadata: { name, namespace },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as never)
  await startWork(runKind, run, statusOf)
}

async function startWork(
  kind: KindRef<KubeObject>,
  run: KubeObject,
  statusOf?: (job: string | undefined) => object,
): Promise<void> {
  const { name, namespace = '' } = run.metadata
  const owned = ({ apiVersion, kind, metadata: { name: owner, uid } }: KubeObject) => ({
    namespace,
    ownerReferences: [{ apiVersion, kind, name: owner, uid, controller: true }],
  })
  const job = await api.admin.create(JobKind, {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name, ...owned(run) },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  } as never)
  const { uid } = job.metadata
  const status = statusOf?.(uid) ?? { runtimeRef: { type: 'job', name, uid } }
  await api.admin.update(kind, { ...run, status } as KubeObject, { subresource: 'status' })
  await api.admin.create(PodKind, {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, ...owned(job) },
    spec: { serviceAccountName: 'runner', containers: [container] },
  } as never)
  tokens[`${namespace}/${name}`] = await tokenOf(api.admin, namespace, 'runner', {
    audience,
    pod: name,
  })
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

function upload(run: string, content: string, change: Record<string, string> = {}) {
  const query = new URLSearchParams({
    type: 'file',
    name: 'report',
    sha256: digestOf(content),
    sizeBytes: String(Buffer.byteLength(content)),
    ...change,
  })
  return api.ask(`/v1/artifacts?${query}`, {
    method: 'PUT',
    token: tokens[run] ?? '',
    headers: { 'content-type': 'application/octet-stream' },
    body: content,
  })
}

async function artifactsOf(namespace: string, run: string): Promise<Artifact[]> {
  const { items } = await api.admin.list(artifactKind, { namespace })
  return items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === run)
}

function contentOf(name: string, token: string | undefined, namespace = 'red') {
  return api.ask(`/v1/artifacts/${namespace}/${name}/content`, { token: token ?? '' })
}

describe('uploads of artifacts', () => {
  test('belong to the run of the pod, and are given to those who may get the Artifact', async () => {
    const { status, json } = await upload('red/one', 'the report')
    expect(status).toBe(200)
    const [made] = await artifactsOf('red', 'one')
    expect(made).toMatchObject({
      metadata: { name: json.artifact, namespace: 'red' },
      spec: {
        source: {
          type: 'File',
          name: 'report',
          pod: 'one',
          checksum: `sha256:${digestOf('the report')}`,
          sizeBytes: 10,
        },
        lifecycle: { ttlDays: 30 },
      },
    })
    const answer = await contentOf(json.artifact, tokens.reader)
    expect(answer).toMatchObject({ status: 200, text: 'the report' })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-length': '10',
    })
    expect((await contentOf(json.artifact, tokens.nobody)).status).toBe(403)
    expect((await contentOf(json.artifact, tokens.stranger)).status).toBe(403)
    expect((await contentOf(json.artifact, tokens['red/one'])).status).toBe(401)
    expect((await contentOf(json.artifact, undefined)).status).toBe(401)
  })

  test('cannot name another run, and need the token of a pod', async () => {
    expect((await upload('red/two', 'x', { run: 'one' })).status).toBe(400)
    expect((await upload('reader', 'x')).status).toBe(401)
    expect((await upload('none', 'x')).status).toBe(401)
    const before = await artifactsOf('red', 'one')
    expect((await upload('red/two', 'of two')).status).toBe(200)
    expect(await artifactsOf('red', 'one')).toEqual(before)
    expect(await artifactsOf('red', 'two')).toHaveLength(1)
  })

  test('are for AgentRuns: the pod of a ToolRun has none', async () => {
    const kind = kindRef<KubeObject>(toolRun)
    const run = await api.admin.create(kind, {
      metadata: { name: 'hammer', namespace: 'red' },
      spec: { toolRef: { name: 'hammer' } },
    } as never)
    await startWork(kind, run)
    const { status, json } = await upload('red/hammer', 'x')
    expect(status).toBe(403)
    expect(json.error).toBe('pod red/hammer does not belong to an AgentRun')
  })

  test('are kept apart by namespace: a digest opens nothing', async () => {
    await upload('blue/other', 'secret of blue')
    const checksum = `sha256:${digestOf('secret of blue')}`
    await api.admin.create(artifactKind, {
      metadata: { name: 'forged', namespace: 'red' },
      spec: {
        source: {
          ...{ type: 'File', name: 'report', pod: 'one', checksum },
          ...{ sizeBytes: 14, contentType: 'text/plain' },
        },
      },
    } as never)
    expect((await contentOf('forged', tokens.reader)).status).toBe(404)
  })

  test.each(['../report', 'a/b', '..', '.', 'a\\b', 'a\0b', 'a\nb', '', 'x'.repeat(201)])(
    'refuse the name %j',
    async (name) => {
      expect((await upload('red/two', 'x', { name })).status).toBe(400)
    },
  )

  test.each([
    { because: 'a digest that is a path', change: { sha256: '../../../etc/passwd' } },
    { because: 'an unknown type', change: { type: 'secret' } },
    { because: 'a negative size', change: { sizeBytes: '-1' } },
    { because: 'a line break in the type of the content', change: { contentType: 'a\r\nb' } },
  ])('refuse $because', async ({ change }) => {
    expect((await upload('red/two', 'x', change)).status).toBe(400)
  })

  test('refuse content that is not what they say, and keep nothing of it', async () => {
    const stored = () => readdirSync(join(folder, 'content', 'red')).length
    const before = stored()
    expect((await upload('red/two', 'x', { name: 'a', sha256: digestOf('y') })).status).toBe(422)
    expect((await upload('red/two', 'xy', { name: 'a', sizeBytes: '1' })).status).toBe(409)
    expect(stored()).toBe(before)
    expect(readdirSync(join(folder, 'uploading'))).toEqual([])
  })

  test('are limited in size, number and all together', async () => {
    expect((await upload('red/many', 'x'.repeat(1001))).status).toBe(413)
    expect((await upload('red/many', 'x', { sizeBytes: '1001' })).status).toBe(413)
    const statuses: number[] = []
    for (const name of ['1', '2', '3', '4']) {
      statuses.push((await upload('red/many', name, { name })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 413])
    expect(await artifactsOf('red', 'many')).toHaveLength(3)
    expect((await upload('red/bytes', 'x'.repeat(900), { name: '1' })).status).toBe(200)
    expect((await upload('red/bytes', 'y'.repeat(900), { name: '2' })).status).toBe(413)
  })

  test('keep to the limit also at the same time', async () => {
    await startRun('red', 'burst')
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, index) => upload('red/burst', 'x', { name: `${index}` })),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(await artifactsOf('red', 'burst')).toHaveLength(3)
  })

  test('may be repeated, but not changed', async () => {
    const first = await upload('red/again', 'same')
    const second = await upload('red/again', 'same')
    expect(second).toMatchObject({ status: 200, json: first.json })
    expect((await upload('red/again', 'other')).status).toBe(409)
    expect(await artifactsOf('red', 'again')).toHaveLength(1)
  })

  test.each([
    { because: 'the run has none yet', refs: () => ({}), status: 503 },
    {
      because: 'the run has another one',
      refs: () => ({ runtimeRef: { type: 'job', name: 'other', uid: 'other' } }),
      status: 503,
    },
    {
      because: 'the run ended without it',
      refs: () => ({
        runtimeRef: { type: 'job', name: 'other', uid: 'other' },
        conditions: ['Finished', 'Succeeded'].map((type) => ({
          ...{ type, status: 'True', reason: 'Succeeded', message: 'done' },
          lastTransitionTime: '2026-01-01T00:00:00Z',
        })),
      }),
      status: 403,
    },
    {
      because: 'it is that of a step',
      refs: (uid?: string) => ({ workflow: { steps: [{ name: 'one', jobRef: { uid } }] } }),
      status: 200,
    },
  ])('depend on the Job in the status of the run: $because', async ({ refs, status, because }) => {
    const name = `job-${because.replaceAll(' ', '-')}`
    await startRun('red', name, refs)
    expect((await upload(`red/${name}`, 'x')).status).toBe(status)
    expect(await artifactsOf('red', name)).toHaveLength(status === 200 ? 1 : 0)
  })

  test('are gone when they have expired', async () => {
    const [made] = await artifactsOf('red', 'one')
    if (made === undefined) throw new Error('no artifact')
    const condition = {
      ...{ type: 'Stored', status: 'False', reason: 'Expired', message: 'x' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const
    const status = { ...made.status, conditions: [condition] }
    await api.admin.update(artifactKind, { ...made, status } as Artifact, { subresource: 'status' })
    expect((await contentOf(made.metadata.name, tokens.reader)).status).toBe(410)
  })
})

describe('the output of a run whose pod is gone', () => {
  const text = 'first\n\u00e4second\u0000\r\nthird, without an end'

  beforeAll(async () => {
    await startRun('red', 'logged')
    await upload('red/logged', text, { type: 'log', name: 'log' })
    await upload('red/logged', 'a file', { name: 'log2' })
    await api.admin.delete(PodKind, { namespace: 'red', name: 'logged' })
    // Owned by the run, but not by its controller.
    const run = await api.admin.get(runKind, { namespace: 'red', name: 'logged' })
    const { apiVersion, kind, metadata } = run
    await api.admin.create(artifactKind, {
      metadata: {
        ...{ name: 'zz-forged', namespace: 'red' },
        labels: { 'agents.proompteng.ai/agent-run': 'logged' },
        ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }],
      },
      spec: {
        source: {
          ...{ type: 'Log', name: 'log', pod: 'logged', sizeBytes: 6 },
          ...{ checksum: `sha256:${digestOf('a file')}`, contentType: 'text/plain' },
        },
      },
    } as never)
  })

  const logs = (query = '', token = tokens.viewer) =>
    api.ask(`/v1/runs/red/logged/logs${query}`, { token: token ?? '' })

  test.each([
    { query: '', lines: text },
    { query: '?pod=logged', lines: text },
    { query: '?tailLines=1', lines: 'third, without an end' },
    { query: '?tailLines=2', lines: '\u00e4second\u0000\r\nthird, without an end' },
    { query: '?tailLines=3', lines: text },
    { query: '?tailLines=5000', lines: text },
  ])('is what was kept: $query', async ({ query, lines }) => {
    expect(await logs(query)).toMatchObject({ status: 200, text: lines })
  })

  test('is not that of another pod or container', async () => {
    expect((await logs('?pod=other')).status).toBe(404)
    expect((await logs('?container=sidecar')).status).toBe(404)
  })

  test('needs the rights for the Artifact', async () => {
    expect((await logs('', tokens.podReader)).status).toBe(403)
    expect((await logs('', tokens.reader)).status).toBe(403)
  })
})
