import type { ResourceCache } from '@agents/controller'
import type { ApprovalPolicy, ApprovalRequest } from '@agents/jangar-api'
import { formatKey, type KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { deletedCountsMs } from '../kubernetes/recently-deleted.ts'
import { NeededPolicies } from './needed-policies.ts'

const namespace = 'team'
const run = { metadata: { name: 'run', namespace, uid: 'run-1' }, named: undefined }
const subject = { ...run, subjects: [{ kind: 'Agent', name: 'coder' }] }
const concerning = { subjects: [{ kind: 'Agent', name: '*' }] }
const approvers = [{ kind: 'User', name: 'developer' }]

/** A cache that a test writes to. Requests are found by the run that they are about. */
class TestCache<T extends KubeObject> {
  readonly objects = new Map<string, T>()
  #handlers: Parameters<ResourceCache<T>['subscribe']>[0] | undefined

  get = (key: string) => this.objects.get(key)
  list = () => [...this.objects.values()]
  byIndex = (_: string, uid: string) =>
    this.list().filter(({ spec }) => (spec as { subject?: { uid: string } }).subject?.uid === uid)
  subscribe = (handlers: Parameters<ResourceCache<T>['subscribe']>[0]) => {
    this.#handlers = handlers
    return { hasSynced: () => true, remove: () => undefined }
  }

  put(object: T): void {
    const key = formatKey(object.metadata)
    const before = this.objects.get(key)
    this.objects.set(key, object)
    if (before) this.#handlers?.onUpdate(before, object)
    else this.#handlers?.onAdd(object, false)
  }

  remove(name: string): void {
    const key = formatKey({ namespace, name })
    const object = this.objects.get(key)
    this.objects.delete(key)
    if (object) this.#handlers?.onDelete(object)
  }
}

function open() {
  const policies = new TestCache<ApprovalPolicy>()
  const requests = new TestCache<ApprovalRequest>()
  const written = new Map<string, ApprovalRequest>()
  let elapsed = 0
  const needed = new NeededPolicies(
    { approvalPolicies: policies, approvalRequests: requests } as never,
    { get: ({ name }) => written.get(name) ?? requests.get(formatKey({ namespace, name })) },
    { elapsed: () => elapsed },
  )
  return {
    ...{ policies, requests, written, needed },
    pass: (ms: number) => {
      elapsed += ms
    },
    names: (of = subject) =>
      needed.of(of).map(({ name, policy }) => (policy === undefined ? `${name} missing` : name)),
  }
}

function policy(name: string, spec: object): ApprovalPolicy {
  return {
    metadata: { name, namespace },
    spec: { approvers, ...spec },
  } as unknown as ApprovalPolicy
}

function request(name: string, spec: object = {}): ApprovalRequest {
  const own = { subject: { uid: 'run-1' }, policyRef: { name: 'people' }, ...spec }
  return { metadata: { name, namespace }, spec: own } as unknown as ApprovalRequest
}

describe('the policies that must approve a run', () => {
  test('a request keeps its policy needed, however long it is gone', () => {
    const { names, needed, pass, policies, requests } = open()
    policies.put(policy('people', concerning))
    expect(names()).toEqual(['people'])
    requests.put(request('asked'))
    policies.remove('people')
    pass(3_600_000)
    expect(names()).toEqual(['people missing'])
    expect(needed.of(subject)).toEqual([
      { name: 'people', message: expect.stringContaining('ApprovalRequest asked') },
    ])
    expect(names({ ...subject, metadata: { ...subject.metadata, uid: 'run-2' } })).toEqual([])
  })

  test('so does one that was created here, before the cache has it', () => {
    const { names, needed, pass, policies, requests, written } = open()
    policies.put(policy('people', concerning))
    written.set('asked', request('asked'))
    needed.created(request('asked'))
    policies.remove('people')
    pass(3_600_000)
    expect(names()).toEqual(['people missing'])
    written.clear()
    requests.put(request('asked'))
    expect(names()).toEqual(['people missing'])
    requests.remove('asked')
    expect(names()).toEqual([])
  })

  test('a valid policy that does not concern the run says that it needs none', () => {
    const { names, policies, requests } = open()
    requests.put(request('asked'))
    policies.put(policy('people', { subjects: [], quorum: 2 }))
    expect(names()).toEqual(['people'])
    policies.put(policy('people', { subjects: [] }))
    expect(names()).toEqual([])
    policies.remove('people')
    // Nobody has withdrawn it yet.
    expect(names()).toEqual(['people missing'])
    requests.put(request('asked', { cancel: true }))
    expect(names()).toEqual([])
  })

  test('a policy that was just deleted concerns runs that nobody was asked about', () => {
    const { names, needed, pass, policies } = open()
    policies.put(policy('people', concerning))
    policies.put(policy('others', { subjects: [{ kind: 'Tool', name: '*' }] }))
    policies.remove('people')
    policies.remove('others')
    pass(deletedCountsMs - 1)
    expect(needed.of(subject)).toEqual([
      { name: 'people', message: expect.any(String), until: deletedCountsMs },
    ])
    policies.put(policy('people', { subjects: [] }))
    expect(names()).toEqual([])
    policies.remove('people')
    policies.put(policy('people', concerning))
    policies.remove('people')
    expect(names()).toEqual(['people missing'])
    pass(deletedCountsMs)
    expect(names()).toEqual([])
  })

  test('a policy that the run names is needed whether it exists or not', () => {
    const { names, policies } = open()
    const naming = { ...subject, named: 'people' } as unknown as typeof subject
    expect(names(naming)).toEqual(['people missing'])
    policies.put(policy('people', { subjects: [] }))
    expect(names(naming)).toEqual(['people'])
  })
})
