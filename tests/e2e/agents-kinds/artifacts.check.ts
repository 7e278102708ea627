import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@agents/artifact-store'
import { systemClock } from '@agents/controller'
import { controllersConfig, startControllers } from '@agents/jangar'
import { type Artifact, artifact } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNamespace } from '../../support/testbed/server.ts'
import { uniqueName } from '../../support/testbed/unique-name.ts'
import { until } from '../../support/testbed/until.ts'
import { agentsServer } from './agents-server.ts'

const artifacts = kindRef<Artifact>(artifact)
const day = 86_400_000

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

describe('an Artifact', () => {
  const client = agentsServer()

  const setUp = async (hasStore = true) => {
    const namespace = uniqueName('artifacts')
    await createNamespace(client(), namespace)
    const folder = await mkdtemp(join(tmpdir(), 'agents-artifacts-'))
    let skipped = 0
    const clock = { ...systemClock, now: () => new Date(Date.now() + skipped) }
    const config = controllersConfig({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: namespace,
      JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: namespace,
      JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: namespace,
      ...(hasStore && { JANGAR_ARTIFACTS_STORE: 'file', JANGAR_ARTIFACTS_FOLDER: folder }),
    })
    const running = startControllers({ client: client(), config, log: silentLogger, clock })
    onTestFinished(async () => {
      await running.stop()
      await rm(folder, { recursive: true, force: true })
    })
    const store = openStore({ driver: 'file', folder })
    const get = (name: string) => client().get(artifacts, { namespace, name })
    return {
      namespace,
      store,
      get,
      has: (content: string) => existsSync(join(folder, 'content', namespace, digestOf(content))),
      put: (content: string, ns = namespace) =>
        store.put(
          { namespace: ns, digest: digestOf(content) },
          {
            sizeBytes: content.length,
            body: (async function* () {
              yield Buffer.from(content)
            })(),
          },
        ),
      create: (name: string, content?: string, spec: object = {}) => {
        const checksum = `sha256:${digestOf(content ?? '')}`
        const source = {
          ...{ type: 'File', name: 'report', pod: 'p', checksum },
          ...{ sizeBytes: content?.length, contentType: 'text/plain' },
        }
        const labels = { 'artifacts.proompteng.ai/content': digestOf(content ?? '').slice(0, 63) }
        return client().create(artifacts, {
          metadata: { name, namespace, labels },
          spec: { ...(content !== undefined && { source }), ...spec },
        } as never)
      },
      /** Waits for the reason of the summary. */
      ready: (name: string, reason: string) =>
        until(async () => {
          const { status } = await get(name)
          return status?.conditions?.some((one) => one.type === 'Ready' && one.reason === reason)
        }),
      touch: (
        name: string,
        body: object = { metadata: { annotations: { a: `${Math.random()}` } } },
      ) => client().patch(artifacts, { namespace, name }, { type: 'merge', body }),
      remove: (name: string) => client().delete(artifacts, { namespace, name }),
      skip: (milliseconds: number) => {
        skipped += milliseconds
      },
    }
  }

  test('is ready when its content is stored, and says where', async () => {
    const { create, put, ready, get, namespace } = await setUp()
    await create('report', 'text')
    await put('text')
    await ready('report', 'OK')
    const digest = digestOf('text')
    expect((await get('report')).status).toMatchObject({
      phase: 'Ready',
      uri: `file:content/${namespace}/${digest}`,
      checksum: `sha256:${digest}`,
      sizeBytes: 4,
      contentType: 'text/plain',
    })
  })

  test('keeps its content until the last one with the same content goes', async () => {
    const { create, put, ready, remove, has } = await setUp()
    await create('first', 'text')
    await create('second', 'text')
    await put('text')
    await ready('first', 'OK')
    await ready('second', 'OK')
    await put('of nobody')
    await remove('first')
    await until(() => !has('of nobody'))
    expect(has('text')).toBe(true)
    await remove('second')
    await until(() => !has('text'))
  })

  test('leaves content of other namespaces alone', async () => {
    const { create, put, ready, remove, has, store } = await setUp()
    const foreign = { namespace: 'elsewhere', digest: digestOf('foreign') }
    await put('foreign', 'elsewhere')
    await create('report', 'text')
    await put('text')
    await ready('report', 'OK')
    await remove('report')
    await until(() => !has('text'))
    expect(await store.stat(foreign)).toBeDefined()
  })

  test('expires, loses its content, and does not return', async () => {
    const { create, put, ready, skip, touch, has, get } = await setUp()
    await create('report', 'text', { lifecycle: { ttlDays: 2 } })
    await put('text')
    await ready('report', 'OK')
    skip(3 * day)
    await touch('report')
    await ready('report', 'Expired')
    await until(() => !has('text'))
    expect((await get('report')).status).toMatchObject({ phase: 'Expired' })
    expect((await get('report')).status?.uri).toBeUndefined()
    await put('text')
    await touch('report', { spec: { lifecycle: { ttlDays: 100 } } })
    await until(async () => {
      const { status, metadata } = await get('report')
      return status?.observedGeneration === metadata.generation
    })
    await ready('report', 'Expired')
  })

  test.each([
    { because: 'no content', content: undefined, spec: {}, reason: 'NoSource' },
    {
      because: 'another storage',
      content: 'x',
      spec: { storageRef: { name: 'bucket' } },
      reason: 'MissingStorage',
    },
  ])('says why it is not ready: $because', async ({ content, spec, reason }) => {
    const { create, ready } = await setUp()
    await create('report', content, spec)
    await ready('report', reason)
  })

  test('says that the platform keeps none', async () => {
    const { create, ready } = await setUp(false)
    await create('report', 'text')
    await ready('report', 'MissingStorage')
  })

  test('says that an upload did not end, and that content is lost', async () => {
    const { create, put, ready, skip, touch, store, namespace } = await setUp()
    await create('report', 'text')
    await put('text')
    await ready('report', 'OK')
    await store.delete({ namespace, digest: digestOf('text') }, async () => false)
    await touch('report')
    await ready('report', 'Lost')
    await create('half', 'half')
    await ready('half', 'Uploading')
    skip(31 * 60_000)
    await touch('half')
    await ready('half', 'NotUploaded')
  })

  test('cannot get other content', async () => {
    const { create, touch } = await setUp()
    await create('report', 'text')
    const source = { checksum: `sha256:${digestOf('other')}` }
    await expect(touch('report', { spec: { source } })).rejects.toThrow(/cannot be changed/)
  })
})
