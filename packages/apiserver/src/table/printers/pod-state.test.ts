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
    because: 'a pod without container statuses shows its phase',
    pod: { spec: { containers: [{ name: 'a' }] }, status: { phase: 'Pending' } },
    state: { reason: 'Pending', ready: 0, total: 1, restarts: 0 },
  },
  {
    because: 'the first container that waits or has ended determines the status',
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
    because: 'a completed container does not hide a running one in a ready pod',
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
    because: 'a sidecar counts like a container, completed init containers do not count',
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
    because: 'the latest restart is shown',
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
    because: 'a deleted pod that has ended shows its reason',
    pod: { status: { phase: 'Failed', reason: 'Evicted' } },
    deleted: true,
    state: { reason: 'Evicted' },
  },
  {
    because: 'a deleted pod on a lost node is unknown',
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
