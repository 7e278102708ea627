import { systemClock } from '@agents/controller'
import type { InformerLease, Pod } from '@agents/kube'
import { createLogger } from '@agents/log'
import { expect, test } from 'vitest'
import type { PodSurroundings } from '../pod/pod-run.ts'
import { NodePods } from './pods-controller.ts'

test('what is left of a pod and cannot be taken away keeps the node from nothing', async () => {
  const lines: string[] = []
  const removed: string[] = []
  const around = {
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
  } as unknown as PodSurroundings
  const pods = { informer: { store: { list: () => [] } } } as unknown as InformerLease<Pod>
  const node = new NodePods({ around, pods, bindPods: true, maxPods: 1, workers: 1 })
  await node.settle()
  expect(removed).toEqual(['other'])
  expect(lines.join('')).toContain('EACCES')
})
