import {
  ConfigMapKind,
  type Connection,
  createInformer,
  createKubeClient,
  type Informer,
  type InformerOptions,
  isNotFound,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type History, recordHistory } from '../../../packages/kube/src/testing/history.ts'
import { type Subject, startSubject } from '../../support/kube-client/subject.ts'
import { createNamespace, defineWidgets, widgetKind } from '../../support/kube-client/widget.ts'
import { isFull } from '../../support/tier.ts'
import { type ChaosProxy, startChaosProxy } from './chaos-proxy.ts'
import { chosenSubjects } from './main/chosen-subjects.ts'

const pollOptions = { timeout: 120_000, interval: 20 }

describe.each(await chosenSubjects())('an informer on the %s server', (name) => {
  let subject: Subject
  /** Connects directly to the server. */
  let writer: KubeClient
  /** Connects through the proxy. */
  let client: KubeClient
  let proxy: ChaosProxy
  let namespace = ''
  let spaces = 0
  let informer: Informer<KubeObject> | undefined
  const requests: string[] = []

  const connectAll = async (): Promise<void> => {
    const connection = await subject.connect()
    writer = createKubeClient(connection)
    const server = `https://127.0.0.1:${proxy.port}`
    const through: Connection = { ...connection, server }
    client = createKubeClient(through, {
      retry: { baseDelayMs: 5, maxDelayMs: 20 },
      onRequest: ({ method, code }) => requests.push(`${method} ${code}`),
    })
  }
  beforeAll(async () => {
    subject = await startSubject(name)
    proxy = await startChaosProxy(subject.port)
    await connectAll()
    await defineWidgets(writer)
  })
  afterEach(async () => {
    await informer?.stop()
    proxy.refuse = false
    proxy.stalled = false
    proxy.cutAfter = () => undefined
  })
  afterAll(async () => {
    client?.close()
    writer?.close()
    await proxy?.stop()
    await subject?.stop()
  })

  const start = async (
    options: Partial<InformerOptions<KubeObject>> = {},
  ): Promise<[Informer<KubeObject>, History<KubeObject>]> => {
    const history = recordHistory<KubeObject>()
    const created = createInformer({
      client,
      kind: ConfigMapKind,
      namespace,
      freeze: true,
      labelSelector: 'mine',
      backoff: { baseMs: 10, maxMs: 100 },
      ...options,
    } as InformerOptions<KubeObject>)
    informer = created
    created.addHandler(history.handler)
    created.start()
    await created.waitForSync({ timeoutMs: 120_000 })
    return [created, history]
  }
  const space = async (): Promise<void> => {
    namespace = `informer-${spaces++}`
    await createNamespace(writer, namespace)
  }
  const put = async (name: string, text: string): Promise<void> => {
    const metadata = { name, namespace, labels: { mine: 'yes' } }
    await writer.apply(ConfigMapKind, { metadata, data: { text } }, { fieldManager: 'check' })
  }
  const remove = async (name: string): Promise<void> => {
    await writer.delete(ConfigMapKind, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }
  const revisions = (objects: readonly KubeObject[]): Record<string, string> =>
    Object.fromEntries(
      objects.map(({ metadata }) => [metadata.name, `${metadata.uid} ${metadata.resourceVersion}`]),
    )
  const converged = async (
    follower: Informer<KubeObject>,
    history: History<KubeObject>,
  ): Promise<void> => {
    const { items } = await writer.list(ConfigMapKind, { namespace, labelSelector: 'mine' })
    await vi.waitFor(
      () => expect(revisions(follower.store.list())).toEqual(revisions(items)),
      pollOptions,
    )
    expect(history.contradictions).toEqual([])
    expect(revisions([...history.believed.values()])).toEqual(revisions(items))
  }

  test('streams the current state and all later changes over one watch', async () => {
    await space()
    await put('a', '1')
    requests.length = 0
    const [follower, history] = await start()
    await put('b', '1')
    await put('a', '2')
    await remove('b')
    await converged(follower, history)
    expect(history.lines).toEqual(['add a', 'add b', 'update a', 'delete b'])
    expect(requests).toEqual(['GET 200'])
    const [object] = follower.store.list()
    expect(object?.metadata.managedFields).toBeUndefined()
    expect(object?.kind).toBe('ConfigMap')
  })

  test('lists in pages if configured to', async () => {
    await space()
    for (let n = 0; n < 7; n++) await put(`page-${n}`, '1')
    const [follower, history] = await start({ watchList: false, pageSize: 3 })
    await put('page-0', '2')
    await converged(follower, history)
    expect(follower.stats().replaces).toBe(1)
    const isMine = { matchExpressions: [{ key: 'mine', operator: 'In' as const, values: ['yes'] }] }
    expect(follower.store.list({ namespace, labels: isMine })).toHaveLength(7)
    expect(follower.store.list().every(({ kind }) => kind === 'ConfigMap')).toBe(true)
  })

  test('an object that no longer matches is reported as deleted', async () => {
    await space()
    await put('a', '1')
    const [follower, history] = await start()
    const relabel = (value: string | null) =>
      writer.patch(
        ConfigMapKind,
        { namespace, name: 'a' },
        { type: 'merge', body: { metadata: { labels: { mine: value } } } },
      )
    await relabel(null)
    await vi.waitFor(() => expect(history.lines).toEqual(['add a', 'delete a']), pollOptions)
    await relabel('again')
    await converged(follower, history)
    expect(history.lines).toEqual(['add a', 'delete a', 'add a'])
  })

  test('waits for its own writes', async () => {
    await space()
    const [follower] = await start()
    for (let n = 0; n < 20; n++) {
      const metadata = { name: `own-${n}`, namespace, labels: { mine: 'yes' } }
      const { metadata: written } = await writer.create(ConfigMapKind, { metadata })
      await follower.waitForRevision(written.resourceVersion ?? '', { timeoutMs: 120_000 })
      expect(follower.store.get(metadata)?.metadata.uid).toBe(written.uid)
    }
  })

  test('misses nothing when its connections are cut after any number of bytes', async () => {
    await space()
    await put('a', '0')
    let tries = 0
    // Sometimes much more than one TLS record, or nothing would ever be decrypted.
    proxy.cutAfter = () => 1_500 + ((tries++ * 997) % 40_000)
    const [follower, history] = await start()
    for (let n = 0; n < 120; n++) {
      await put(`cut-${n % 5}`, `größer ✓ 漢字 ${n}`)
      if (n % 3 === 0) await remove(`cut-${(n + 2) % 5}`)
    }
    await converged(follower, history)
    expect(proxy.connections).toBeGreaterThan(10)
    expect(follower.stats().replaces).toBeLessThan(10)
  })

  test('survives a network that fails now and then', async () => {
    await space()
    let seed = 7
    const chance = (): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    proxy.cutAfter = () => 1_000 + Math.floor(chance() * 20_000)
    const [follower, history] = await start({ watchList: false, pageSize: 5 })
    for (let n = 0; n < 200; n++) {
      const target = `r-${Math.floor(chance() * 12)}`
      if (chance() < 0.35) await remove(target)
      else await put(target, String(n))
      if (chance() < 0.05) proxy.cutAll()
      proxy.refuse = chance() < 0.05
    }
    proxy.refuse = false
    await converged(follower, history)
  })

  test('notices a server that hangs', async () => {
    await space()
    await put('a', '1')
    const [follower, history] = await start({ watchSeconds: 1, idleSlackMs: 200 })
    proxy.stalled = true
    await put('a', '2')
    await remove('a')
    await put('b', '1')
    await vi.waitFor(() => expect(follower.stats().failures).toBeGreaterThan(0), pollOptions)
    proxy.stalled = false
    proxy.cutAll()
    await converged(follower, history)
  })

  test('waits for a kind that is not served yet', async () => {
    await space()
    const kind = kindRef({ ...widgetKind, plural: 'gizmos', kind: 'Gizmo', scope: 'Namespaced' })
    const errors: unknown[] = []
    const waiting = createInformer({
      client,
      kind,
      namespace,
      backoff: { baseMs: 5, maxMs: 10 },
      onError: (error) => errors.push(error),
    })
    waiting.start()
    await vi.waitFor(() => expect(errors.some(isNotFound)).toBe(true), pollOptions)
    expect(waiting.hasSynced()).toBe(false)
    await waiting.stop()
  })

  test('catches up with everything that happened while the server was killed and it was disconnected', async () => {
    await space()
    for (const each of ['kept', 'changed', 'gone', 'replaced']) await put(each, '1')
    const [follower, history] = await start()
    proxy.refuse = true
    proxy.cutAll()
    await put('changed', '2')
    await remove('gone')
    await remove('replaced')
    await put('replaced', '1')
    await put('new', '1')
    await subject.restart('SIGKILL')
    writer.close()
    const keep = client
    const connection = await subject.connect()
    writer = createKubeClient(connection)
    proxy.refuse = false
    await converged(follower, history)
    // The server decides whether the last state of a deleted object is delivered.
    const heard = history.lines.map((line) => line.replace('?', ''))
    expect(heard).toContain('delete gone')
    expect(heard).toContain('delete replaced')
    expect(heard).not.toContain('delete kept')
    await put('after', '1')
    await remove('new')
    await converged(follower, history)
    expect(client).toBe(keep)
  })

  test('is idle while nothing happens', async () => {
    await space()
    for (let n = 0; n < 20; n++) await put(`quiet-${n}`, '1')
    const [follower] = await start()
    requests.length = 0
    const before = follower.stats()
    // Long enough for what is done in intervals.
    if (isFull) await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(follower.stats()).toEqual(before)
    // Whatever it would ask for after the start is asked for before twenty changes arrive one after the other.
    for (let n = 0; n < 20; n++) {
      await put(`quiet-${n}`, '2')
      await vi.waitFor(
        () => expect(follower.stats().events).toBeGreaterThan(before.events + n),
        pollOptions,
      )
    }
    expect(requests).toEqual([])
    const { replaces, failures } = follower.stats()
    expect({ replaces, failures }).toEqual({ replaces: before.replaces, failures: before.failures })
  })
})
