import {
  type ConfigMap,
  ConfigMapKind,
  createInformer,
  createKubeClient,
  isAlreadyExists,
  isBadRequest,
  isForbidden,
  isInvalid,
  JobKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type Message,
  PodKind,
  SecretKind,
  ServiceAccountKind,
} from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  configMapFields,
  jobFields,
  podFields,
  secretFields,
} from '../../../services/jangar/src/server/caches/cached-fields.ts'
import {
  withoutContent,
  withoutValues,
} from '../../../services/jangar/src/server/caches/key-only.ts'
import {
  withoutPodSpec,
  withoutTemplate,
} from '../../../services/jangar/src/server/caches/status-only.ts'
import { type Subject, startSubject } from '../../support/kube-client/subject.ts'
import { createNamespace } from '../../support/kube-client/widget.ts'
import { until } from '../../support/testbed/until.ts'
import { chosenSubjects } from './main/chosen-subjects.ts'

interface Cached {
  readonly kind: KindRef
  readonly fields: Message
  readonly transform: (object: KubeObject) => KubeObject
}

function cached<T extends KubeObject>(
  kind: KindRef<T>,
  fields: Message,
  transform: (object: T) => T,
): Cached {
  return { kind, fields, transform: transform as unknown as Cached['transform'] }
}

const kinds = {
  Pod: cached(PodKind, podFields, withoutPodSpec),
  Job: cached(JobKind, jobFields, withoutTemplate),
  Secret: cached(SecretKind, secretFields, withoutValues),
  ConfigMap: cached(ConfigMapKind, configMapFields, withoutContent),
}

const namespace = 'protobuf'
const at = '2026-02-03T04:05:06Z'
const later = '2026-02-03T04:06:06Z'

describe.each(await chosenSubjects())('the fields of a cache on the %s server', (name) => {
  let subject: Subject
  let client: KubeClient
  beforeAll(async () => {
    subject = await startSubject(name)
    client = createKubeClient(await subject.connect())
    await createNamespace(client, namespace)
    // The API server admits no pod before its account exists, and no controller creates it here.
    await client
      .create(ServiceAccountKind, { metadata: { name: 'default', namespace } })
      .catch(unlessThere)
    await createAll(client)
  })
  afterAll(async () => {
    client?.close()
    await subject?.stop()
  })

  describe.each(Object.entries(kinds))('of a %s', (_kind, { kind, fields, transform }) => {
    /** What a cache keeps of objects in JSON. */
    const expected = async (): Promise<unknown> => {
      const { items } = await client.list(kind, { namespace })
      expect(items.length).toBeGreaterThan(0)
      return items.map((item) => comparable(transform(item)))
    }

    test('are the same in a list as JSON has them', async () => {
      const { items, metadata } = await client.list(kind, { namespace, fields })
      expect(items.map((item) => comparable(transform(item)))).toEqual(await expected())
      expect(metadata.resourceVersion).toMatch(/^\d+$/)
    })

    test('are the same in the pages of a list', async () => {
      const { items, metadata } = await client.list(kind, { namespace, fields, limit: 1 })
      expect(items).toHaveLength(1)
      expect(metadata.continue).toBeTypeOf('string')
      const all: KubeObject[] = []
      for await (const item of client.each(kind, { namespace, fields, limit: 1 })) all.push(item)
      expect(all.map((item) => comparable(transform(item)))).toEqual(await expected())
    })

    test.each([true, false])('are the same in a watch (watchList %s)', async (watchList) => {
      const informer = createInformer({ client, kind, namespace, fields, transform, watchList })
      informer.start()
      await informer.waitForSync()
      const found = informer.store.list().toSorted(byName).map(comparable)
      expect(found).toEqual(await expected())
      // Otherwise the watch failed, and the objects were listed instead.
      expect(informer.stats().failures).toBe(0)
      await informer.stop()
    })
  })

  test('follow changes and deletions', async () => {
    const { kind, fields, transform } = kinds.ConfigMap
    const informer = createInformer({ client, kind, namespace, fields, transform })
    informer.start()
    await informer.waitForSync()
    const key = { namespace, name: 'changing' }
    const created = await client.create(ConfigMapKind, { metadata: key, data: { one: '1' } })
    await client.update(ConfigMapKind, { ...created, data: { two: '2' } })
    const current = (): ConfigMap | undefined =>
      informer.store.get(`${namespace}/changing`) as ConfigMap | undefined
    await until(async () => current()?.data?.two === '', 'the change did not arrive')
    await client.delete(ConfigMapKind, key)
    await until(async () => current() === undefined, 'the deletion did not arrive')
    expect(informer.stats().failures).toBe(0)
    await informer.stop()
  })

  test('are the same in the answer to a creation, whose errors are understood', async () => {
    const { fields, transform } = kinds.Job
    const container = { name: 'main', image: 'example.dev/image' }
    const template = { spec: { restartPolicy: 'Never' as const, containers: [container] } }
    const job = (key: string, backoffLimit: number) => ({
      metadata: { name: key, namespace, labels: { 'example.dev/a': 'b' } },
      spec: { backoffLimit, template },
    })
    const created = await client.create(JobKind, job('created', 1), { fields })
    const stored = await client.get(JobKind, created.metadata)
    expect(comparable(transform(created))).toEqual(comparable(transform(stored)))
    expect(Object.hasOwn(created.metadata, 'managedFields')).toBe(name !== 'real')
    const create = (one: ReturnType<typeof job>) => client.create(JobKind, one, { fields })
    await expect(create(job('created', 1))).rejects.toSatisfy(isAlreadyExists)
    await expect(create(job('invalid', -1))).rejects.toSatisfy(isInvalid)
    await expect(create(job('invalid', -1))).rejects.toThrow('spec.backoffLimit')
  })

  test('are all that is decoded from the real server, in lists and watches', async () => {
    const whole = name !== 'real'
    const pods = await client.list(PodKind, { namespace, fields: podFields })
    const informer = createInformer({ client, kind: SecretKind, namespace, fields: secretFields })
    informer.start()
    await informer.waitForSync()
    for (const { metadata, spec } of pods.items) {
      expect(Object.hasOwn(metadata, 'managedFields')).toBe(whole)
      expect(spec.containers.map((one) => Object.hasOwn(one, 'image'))).toEqual([whole])
    }
    const secret = informer.store.get(`${namespace}/full`)
    expect(secret?.data?.password).toBe(whole ? 'aHVudGVyMg==' : '')
    await informer.stop()
  })

  test('are not needed to read an error', async () => {
    const fields = podFields
    await expect(client.list(PodKind, { labelSelector: '((', fields })).rejects.toSatisfy(
      isBadRequest,
    )
    const stranger = createKubeClient({
      ...(await subject.connect()),
      impersonate: { user: 'stranger' },
    })
    const refused = stranger.watch(PodKind, { namespace, fields })
    await expect(refused).rejects.toSatisfy(isForbidden)
    await expect(refused).rejects.toThrow('pods is forbidden: User "stranger" cannot watch')
    stranger.close()
  })
})

function byName(one: KubeObject, other: KubeObject): number {
  return one.metadata.name < other.metadata.name ? -1 : 1
}

/** The embedded server creates it with the namespace. */
function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}

/** JSON has null for a time that is not set. */
function comparable(object: KubeObject): unknown {
  const { managedFields: _, ...metadata } = object.metadata
  return JSON.parse(JSON.stringify({ ...object, metadata }), (_key, value: unknown) =>
    value === null ? undefined : value,
  )
}

async function createAll(client: KubeClient): Promise<void> {
  const meta = (name: string) => ({
    name,
    namespace,
    labels: { 'example.dev/a': 'b', empty: '' },
    annotations: { text: 'käse 🧀\n' },
  })
  const owner = await client.create(ConfigMapKind, { metadata: meta('owner') })
  const ownerReferences = [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid: owner.metadata.uid ?? '',
      controller: true,
      blockOwnerDeletion: false,
    },
  ]
  const metadata = (name: string) => ({ ...meta(name), ownerReferences, finalizers: ['x.dev/y'] })
  await client.create(ConfigMapKind, {
    metadata: metadata('full'),
    data: { text: 'some', empty: '', ['__proto__']: 'own' },
    binaryData: { bytes: 'AAEC' },
    immutable: true,
  } as never)
  await client.create(SecretKind, {
    metadata: metadata('full'),
    type: 'Opaque',
    data: { password: 'aHVudGVyMg==', empty: '' },
    immutable: false,
  } as never)
  await client.create(SecretKind, { metadata: meta('none') } as never)
  await createPods(client, metadata, meta)
  await createJobs(client, metadata, meta)
}

type Metadata = (name: string) => KubeObject['metadata']

async function createPods(client: KubeClient, full: Metadata, plain: Metadata): Promise<void> {
  const container = { name: 'main', image: 'local' }
  const pod = await client.create(PodKind, {
    metadata: full('full'),
    spec: {
      restartPolicy: 'Never',
      nodeName: 'node-1',
      terminationGracePeriodSeconds: 5,
      initContainers: [
        { name: 'init', image: 'local', envFrom: [{ secretRef: { name: 'from-init' } }] },
      ],
      containers: [
        {
          ...container,
          env: [
            { name: 'PLAIN', value: 'x' },
            { name: 'FIELD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'from-env', key: 'k' } } },
          ],
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }],
        },
      ],
      volumes: [
        { name: 'empty', emptyDir: {} },
        { name: 'secret', secret: { secretName: 'from-volume', defaultMode: 256 } },
        {
          name: 'projected',
          projected: { sources: [{ secret: { name: 'from-projected' } }, { downwardAPI: {} }] },
        },
      ],
    },
  } as never)
  const waiting = { waiting: { reason: 'ImagePullBackOff', message: 'back-off' } }
  const terminated = {
    exitCode: 137,
    signal: 9,
    reason: 'OOMKilled',
    message: 'out of memory',
    startedAt: at,
    finishedAt: later,
    containerID: 'containerd://1',
  }
  const status = { ready: false, restartCount: 3, image: 'local', imageID: '', lastState: {} }
  await client.update(
    PodKind,
    {
      ...pod,
      status: {
        phase: 'Running',
        reason: 'Evicted',
        message: 'the node was low on memory',
        startTime: at,
        conditions: [
          { type: 'PodScheduled', status: 'True', lastTransitionTime: at },
          {
            type: 'DisruptionTarget',
            status: 'True',
            lastProbeTime: at,
            lastTransitionTime: later,
            reason: 'EvictionByEvictionAPI',
            message: 'evicted',
          },
          { type: 'Ready', status: 'False' },
        ],
        initContainerStatuses: [{ name: 'init', ...status, state: { terminated } }],
        containerStatuses: [
          { name: 'main', ...status, ready: true, state: { running: { startedAt: at } } },
          { name: 'other', ...status, restartCount: 0, state: waiting },
          { name: 'third', ...status, state: {} },
        ],
      },
    } as never,
    { subresource: 'status' },
  )
  await client.create(PodKind, {
    metadata: plain('plain'),
    spec: { containers: [container] },
  } as never)
  // Deleted, but kept by its finalizer.
  await client.create(PodKind, {
    metadata: full('deleted'),
    spec: { nodeName: 'node-1', containers: [container] },
  } as never)
  await client.delete(PodKind, full('deleted'), { gracePeriodSeconds: 0 })
}

async function createJobs(client: KubeClient, full: Metadata, plain: Metadata): Promise<void> {
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'local' }] },
  }
  const job = await client.create(JobKind, {
    metadata: full('full'),
    spec: { backoffLimit: 0, ttlSecondsAfterFinished: 0, parallelism: 3, completions: 5, template },
  } as never)
  await client.update(
    JobKind,
    {
      ...job,
      status: {
        startTime: at,
        active: 2,
        ready: 1,
        terminating: 0,
        succeeded: 1,
        failed: 2,
        uncountedTerminatedPods: { succeeded: ['uid-1'], failed: ['uid-2', 'uid-3'] },
        conditions: [
          {
            type: 'Suspended',
            status: 'False',
            lastProbeTime: at,
            lastTransitionTime: later,
            reason: 'JobResumed',
            message: 'Job resumed',
          },
        ],
      },
    } as never,
    { subresource: 'status' },
  )
  await client.create(JobKind, { metadata: plain('plain'), spec: { template } } as never)
}
