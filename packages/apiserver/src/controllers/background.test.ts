import { request } from 'node:https'
import type { KubeObject, OwnerReference } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ApiServer, startApiServer } from '../server.ts'
import { startEventExpiry } from './event-expiry.ts'
import { createInternalClient } from './internal-client.ts'

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger })
})
afterAll(() => server.stop())

type Answer = { status: number; body: KubeObject & Record<string, unknown> }

function send(method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const outgoing = request(
      server.url + path,
      {
        method,
        ca: server.caCertificate,
        headers: { authorization: `Bearer ${server.adminToken}`, 'content-type': type },
      },
      (response) => {
        void response.toArray().then((chunks) => {
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(chunks).toString()),
          })
        }, reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function create(path: string, object: object): Promise<KubeObject> {
  const { status, body } = await send('POST', path, object)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

function maps(namespace = 'default') {
  return `/api/v1/namespaces/${namespace}/configmaps`
}
function map(name: string, metadata: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
  }
}
function ownedBy({ kind, apiVersion, metadata }: KubeObject, more: object = {}): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    ...more,
  }
}

/** Polls until a check passes, since the end of background work is not visible from outside. */
function eventually(check: () => Promise<void>) {
  return vi.waitFor(check, { timeout: 50_000, interval: 10 })
}
function isGone(path: string) {
  return eventually(async () => expect((await send('GET', path)).status).toBe(404))
}

describe('the garbage collector', () => {
  test('deletes direct and indirect dependents of a deleted owner', async () => {
    const owner = await create(maps(), map('chain-1'))
    const child = await create(maps(), map('chain-2', { ownerReferences: [ownedBy(owner)] }))
    await create(maps(), map('chain-3', { ownerReferences: [ownedBy(child)] }))
    await send('DELETE', `${maps()}/chain-1`)
    await isGone(`${maps()}/chain-2`)
    await isGone(`${maps()}/chain-3`)
  })

  test('deletes a dependent that is created after its owner was deleted', async () => {
    const owner = await create(maps(), map('late-owner'))
    await send('DELETE', `${maps()}/late-owner`)
    await create(maps(), map('late-child', { ownerReferences: [ownedBy(owner)] }))
    await isGone(`${maps()}/late-child`)
  })

  test('removes only the owner reference from an object with another owner', async () => {
    const first = await create(maps(), map('shared-1'))
    const second = await create(maps(), map('shared-2'))
    await create(
      maps(),
      map('shared-child', { ownerReferences: [ownedBy(first), ownedBy(second)] }),
    )
    await send('DELETE', `${maps()}/shared-1`)
    await eventually(async () => {
      const { body } = await send('GET', `${maps()}/shared-child`)
      expect(body.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['shared-2'])
    })
  })

  test('removes the owner references from orphaned dependents', async () => {
    const owner = await create(maps(), map('orphan-owner'))
    await create(maps(), map('orphan-child', { ownerReferences: [ownedBy(owner)] }))
    await send('DELETE', `${maps()}/orphan-owner?propagationPolicy=Orphan`)
    await isGone(`${maps()}/orphan-owner`)
    const { body } = await send('GET', `${maps()}/orphan-child`)
    expect(body.metadata.ownerReferences).toBeUndefined()
    expect(body.metadata.deletionTimestamp).toBeUndefined()
  })

  test('keeps an owner in foreground deletion until its last dependent is deleted', async () => {
    const owner = await create(maps(), map('front-owner'))
    const blocking = { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] }
    await create(maps(), map('front-child', { ...blocking, finalizers: ['example.dev/hold'] }))
    await send('DELETE', `${maps()}/front-owner?propagationPolicy=Foreground`)
    await eventually(async () => {
      const child = await send('GET', `${maps()}/front-child`)
      expect(child.body.metadata.deletionTimestamp).toBeDefined()
    })
    const waiting = await send('GET', `${maps()}/front-owner`)
    expect(waiting.body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await send('PATCH', `${maps()}/front-child`, { metadata: { finalizers: null } })
    await isGone(`${maps()}/front-owner`)
  })

  test('keeps dependents of an owner whose kind is not served', async () => {
    const reference = { apiVersion: 'example.dev/v1', kind: 'Unheard', name: 'x', uid: 'x' }
    await create(maps(), map('guess', { ownerReferences: [reference] }))
    const witness = await create(maps(), map('witness'))
    await create(maps(), map('witness-child', { ownerReferences: [ownedBy(witness)] }))
    await send('DELETE', `${maps()}/witness`)
    await isGone(`${maps()}/witness-child`)
    expect((await send('GET', `${maps()}/guess`)).status).toBe(200)
  })
})

describe('a namespace', () => {
  const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

  test('has its service account and CA certificate, even after they were deleted', async () => {
    await create('/api/v1/namespaces', namespace('furnished'))
    const account = '/api/v1/namespaces/furnished/serviceaccounts/default'
    const authority = `${maps('furnished')}/kube-root-ca.crt`
    const isThere = (path: string) =>
      eventually(async () => expect((await send('GET', path)).status).toBe(200))
    await isThere(account)
    await isThere(authority)
    const before = await send('GET', account)
    await send('DELETE', account)
    await eventually(async () => {
      const again = await send('GET', account)
      expect(again.body.metadata?.uid).not.toBe(before.body.metadata.uid)
      expect(again.status).toBe(200)
    })
    await send('PATCH', authority, { data: { 'ca.crt': 'tampered' } })
    await eventually(async () => {
      const { data } = (await send('GET', authority)).body as unknown as {
        data: Record<string, string>
      }
      expect(data['ca.crt']?.trim()).toBe(server.caCertificate.trim())
    })
  })

  test('is deleted with its content, and reports what remains', async () => {
    await create('/api/v1/namespaces', namespace('leaving'))
    await create(maps('leaving'), map('plain'))
    await create(maps('leaving'), map('held', { finalizers: ['example.dev/hold'] }))
    await send('DELETE', '/api/v1/namespaces/leaving')
    await isGone(`${maps('leaving')}/plain`)
    await eventually(async () => {
      const { status } = (await send('GET', '/api/v1/namespaces/leaving')).body as unknown as {
        status: { phase: string; conditions: { type: string; status: string; message: string }[] }
      }
      expect(status.phase).toBe('Terminating')
      expect(
        status.conditions.filter((each) => each.status === 'True').map(({ message }) => message),
      ).toEqual([
        'Some resources are remaining: configmaps. has 1 resource instances',
        'Some content in the namespace has finalizers remaining: example.dev/hold in 1 resource instances',
      ])
    })
    await send('PATCH', `${maps('leaving')}/held`, { metadata: { finalizers: null } })
    await isGone('/api/v1/namespaces/leaving')
  })
})

test('a finished Job is deleted after its TTL', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs'
  const job = (name: string, ttlSecondsAfterFinished: number) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      ttlSecondsAfterFinished,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
      },
    },
  })
  const finishedAt = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '')
  const status = {
    startTime: finishedAt,
    completionTime: finishedAt,
    succeeded: 1,
    uncountedTerminatedPods: {},
    conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: finishedAt,
      lastTransitionTime: finishedAt,
    })),
  }
  for (const [name, ttl] of [
    ['short', 1],
    ['long', 3600],
  ] as const) {
    await create(jobs, job(name, ttl))
    const { status: code, body } = await send('PATCH', `${jobs}/${name}/status`, { status })
    expect(code, JSON.stringify(body)).toBe(200)
  }
  await isGone(`${jobs}/short`)
  expect((await send('GET', `${jobs}/long`)).status).toBe(200)
})

test('the role view aggregates the roles with its label', async () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  const rule = { apiGroups: ['example.dev'], resources: ['widgets'], verbs: ['get'] }
  await create(roles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'widget-reader',
      labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
    },
    rules: [rule],
  })
  await eventually(async () => {
    const { rules } = (await send('GET', `${roles}/view`)).body as unknown as { rules: unknown[] }
    expect(rules).toContainEqual(rule)
  })
  await send('DELETE', `${roles}/widget-reader`)
  await eventually(async () => {
    const { rules } = (await send('GET', `${roles}/view`)).body as unknown as { rules: unknown[] }
    expect(rules).not.toContainEqual(rule)
    expect(rules.length).toBeGreaterThan(10)
  })
})

test('an Event is deleted one hour after its last occurrence', async () => {
  const events = '/api/v1/namespaces/default/events'
  const ago = (minutes: number) =>
    new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+/, '')
  const event = (name: string, lastTimestamp: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: { kind: 'ConfigMap', name: 'x', namespace: 'default' },
    reason: 'Tested',
    type: 'Normal',
    lastTimestamp,
  })
  await create(events, event('old', ago(1)))
  await create(events, event('repeated', ago(1)))
  // One of the two events occurs again after half an hour; the sweep runs after an hour and a half.
  await send('PATCH', `${events}/repeated`, { lastTimestamp: ago(-45) })
  const clock = () => new Date(Date.now() + 90 * 60_000)
  const { environment, registry } = server
  const task = startEventExpiry({
    store: environment.store,
    registry,
    client: createInternalClient(environment, 'test', clock),
    clock,
    onError: (key, error) => {
      throw new Error(key, { cause: error })
    },
    sweepEveryMs: 5,
  })
  await isGone(`${events}/old`)
  await task.stop()
  expect((await send('GET', `${events}/repeated`)).status).toBe(200)
})
