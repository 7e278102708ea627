import { systemClock } from '@agents/controller'
import type { InformerLease, Pod } from '@agents/kube'
import { createLogger } from '@agents/log'
import { expect, test } from 'vitest'
import type { PodDependencies } from '../pod/pod-run.ts'
import { NodePods } from './node-pods.ts'

test('a pod folder that cannot be removed does not block the node', async () => {
  const lines: string[] = []
  const removed: string[] = []
  const dependencies = {
    log: createLogger({ level: 'warn', sink: { write: (line: string) => lines.push(line) > 0 } }),
    attempts: { clock: systemClock },
    node: { nodeName: 'node' },
    nodeMarker: 'no-process-has-this',
    state: {
      podUids: async () => ['stuck', 'other'],
      remove: async (uid: string) => {
        if (uid === 'stuck') throw new Error('EACCES')
        removed.push(uid)
      },
    },
  } as unknown as PodDependencies
  const pods = { informer: { store: { list: () => [] } } } as unknown as InformerLease<Pod>
  const node = new NodePods({ dependencies, pods, bindPods: true, maxPods: 1, workers: 1 })
  await node.settle()
  expect(removed).toEqual(['other'])
  expect(lines.join('')).toContain('EACCES')
})
