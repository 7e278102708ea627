import type { ChangeHandlers, ResourceCache } from '@agents/controller'
import { orchestrationRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { endedChildren } from './ended-children.ts'

const ownerReferences = [
  {
    ...{ apiVersion: orchestrationRun.apiVersion, kind: orchestrationRun.kind, name: 'run' },
    ...{ uid: 'u', controller: true },
  },
]

function child(isFinished: boolean, owners: object[] = ownerReferences): KubeObject {
  const conditions = [{ type: 'Finished', status: isFinished ? 'True' : 'False' }]
  const metadata = { namespace: 'a', name: 'c', ownerReferences: owners }
  return { apiVersion: 'v1', kind: 'AgentRun', metadata, status: { conditions } } as KubeObject
}

function observe(running: number) {
  const requeued: [string, number | undefined][] = []
  let handlers: ChangeHandlers<KubeObject> | undefined
  const cache = {
    kind: { plural: 'agentruns' },
    subscribe: (given: ChangeHandlers<KubeObject>) => {
      handlers = given
      return { hasSynced: () => true, remove: () => undefined }
    },
  } as unknown as ResourceCache
  endedChildren(cache, (owner) => (owner === 'u' ? running : 0)).start((key, options) =>
    requeued.push([key, options?.afterMs]),
  )
  if (handlers === undefined) throw new TypeError('nobody subscribed')
  return { requeued, handlers }
}

test.each([
  { running: 0, afterMs: 0, because: 'the last child ends the run at once' },
  { running: 8, afterMs: 0, because: 'the next step of a few starts at once' },
  { running: 60, afterMs: 60, because: 'others are likely to end soon' },
  { running: 500, afterMs: 250, because: 'no step waits noticeably' },
])('with $running running children the run waits $afterMs ms: $because', ({ running, afterMs }) => {
  const { requeued, handlers } = observe(running)
  handlers.onUpdate(child(false), child(true))
  expect(requeued).toEqual([['a/run', afterMs]])
})

test('the deletion of a child requeues its run, its progress does not, nor do children of others', () => {
  const { requeued, handlers } = observe(0)
  handlers.onAdd(child(false), false)
  handlers.onUpdate(child(false), child(false))
  handlers.onUpdate(child(false, []), child(true, []))
  const forged = ownerReferences.map((owner) => ({ ...owner, apiVersion: 'example.com/v1' }))
  handlers.onUpdate(child(false, forged), child(true, forged))
  expect(requeued).toEqual([])
  handlers.onDelete(child(false))
  expect(requeued).toEqual([['a/run', 0]])
})
