import { expect, test } from 'vitest'
import { type Pod, podState } from './pod-state.ts'

const running = { running: {} }
const completed = { terminated: { exitCode: 0, reason: 'Completed' } }

test.each<{
  because: string
  pod: Omit<Pod, 'apiVersion' | 'kind' | 'metadata'>
  deleted?: true
  state: object
}>([
  {
    because: 'a pod that nobody looked at yet has its phase',
    pod: { spec: { containers: [{ name: 'a' }] }, status: { phase: 'Pending' } },
    state: { reason: 'Pending', ready: 0, total: 1, restarts: 0 },
  },
  {
    because: 'the first container that waits or ended speaks for all',
    pod: {
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'a', state: { waiting: { reason: 'CrashLoopBackOff' } }, restartCount: 2 },
          { name: 'b', state: completed, restartCount: 1 },
        ],
      },
    },
    state: { reason: 'CrashLoopBackOff', restarts: 3 },
  },
  {
    because: 'a completed container does not hide one that runs in a ready pod',
    pod: {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          { name: 'a', state: completed },
          { name: 'b', state: running, ready: true },
        ],
      },
    },
    state: { reason: 'Running', ready: 1 },
  },
  {
    because: 'init containers are counted while they run',
    pod: {
      spec: { initContainers: [{ name: 'i' }, { name: 'j' }], containers: [{ name: 'a' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'i', state: completed, restartCount: 1 },
          { name: 'j', state: running },
        ],
      },
    },
    state: { reason: 'Init:1/2', total: 1, restarts: 1 },
  },
  {
    because: 'a sidecar counts like a container, other init containers no more once they are done',
    pod: {
      spec: {
        initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }],
        containers: [{ name: 'a' }],
      },
      status: {
        phase: 'Running',
        initContainerStatuses: [
          { name: 'i', state: completed, restartCount: 5 },
          { name: 's', state: running, started: true, ready: true, restartCount: 2 },
        ],
        containerStatuses: [{ name: 'a', state: running, ready: true, restartCount: 1 }],
      },
    },
    state: { reason: 'Running', ready: 2, total: 2, restarts: 3 },
  },
  {
    because: 'the newest restart is the one to tell of',
    pod: {
      status: {
        containerStatuses: [
          { name: 'a', lastState: { terminated: { finishedAt: '2026-01-02T00:00:00Z' } } },
          { name: 'b', lastState: { terminated: { finishedAt: '2026-01-01T00:00:00Z' } } },
        ],
      },
    },
    state: { lastRestart: '2026-01-02T00:00:00Z' },
  },
  {
    because: 'a deleted pod is terminating',
    pod: { status: { phase: 'Running' } },
    deleted: true,
    state: { reason: 'Terminating' },
  },
  {
    because: 'unless it has ended already',
    pod: { status: { phase: 'Failed', reason: 'Evicted' } },
    deleted: true,
    state: { reason: 'Evicted' },
  },
  {
    because: 'or its node is lost, and nobody knows',
    pod: { status: { phase: 'Running', reason: 'NodeLost' } },
    deleted: true,
    state: { reason: 'Unknown' },
  },
])('$because', ({ pod, deleted, state }) => {
  const metadata = {
    name: 'p',
    ...(deleted === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  }
  expect(podState({ apiVersion: 'v1', kind: 'Pod', metadata, ...pod })).toMatchObject(state)
})
