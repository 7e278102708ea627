import type { PodSpec } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { ContainerView } from './container-view.ts'
import { decidePod } from './pod-decision.ts'

const now = new Date('2026-01-01T00:10:00Z')
const backoff = { baseMs: 10_000, capMs: 300_000, resetAfterMs: 600_000 }

const running: ContainerView = { starts: 1, runningSince: '2026-01-01T00:09:00Z' }

function ended(exitCode: number, starts = 1, finishedAt = '2026-01-01T00:09:55Z'): ContainerView {
  return {
    starts,
    end: { exitCode, reason: 'x', startedAt: '2026-01-01T00:09:50Z', finishedAt },
  }
}

function spec(restartPolicy: PodSpec['restartPolicy'], inits: string[] = []): PodSpec {
  return {
    ...(restartPolicy && { restartPolicy }),
    initContainers: inits.map((name) =>
      name.startsWith('side') ? { name, restartPolicy: 'Always' } : { name },
    ),
    containers: [{ name: 'main' }],
  }
}

function decide(podSpec: PodSpec, views: Record<string, ContainerView>, isStopping = false) {
  const decision = decidePod({
    spec: podSpec,
    podName: 'p_n(u)',
    views: new Map(Object.entries(views)),
    isStopping,
    now,
    backoff,
  })
  return {
    start: decision.start.map(({ container }) => container.name),
    stop: decision.stop.map(({ container }) => container.name),
    waits: [...decision.waiting.keys()],
    isDone: decision.isDone,
    wakeAfterMs: decision.wakeAfterMs,
  }
}

const nothing = { start: [], stop: [], waits: [], isDone: false, wakeAfterMs: undefined }

describe('the next action of a pod', () => {
  test.each([
    { because: 'its container starts', spec: spec('Never'), views: {}, next: { start: ['main'] } },
    {
      because: 'its container keeps running',
      spec: spec('Never'),
      views: { main: running },
      next: {},
    },
    {
      because: 'it is done',
      spec: spec('Never'),
      views: { main: ended(1) },
      next: { isDone: true },
    },
    {
      because: 'a success is not restarted',
      spec: spec('OnFailure'),
      views: { main: ended(0) },
      next: { isDone: true },
    },
    {
      because: 'the first restart is immediate',
      spec: spec('OnFailure'),
      views: { main: ended(1) },
      next: { start: ['main'] },
    },
    {
      because: 'the second restart waits',
      spec: spec('OnFailure'),
      views: { main: ended(1, 2) },
      next: { waits: ['main'], wakeAfterMs: 5000 },
    },
    {
      because: 'the fourth restart waits longer',
      spec: spec('Always'),
      views: { main: ended(0, 4) },
      next: { waits: ['main'], wakeAfterMs: 35_000 },
    },
    {
      because: 'the wait has a limit',
      spec: spec('Always'),
      views: { main: ended(0, 40) },
      next: { waits: ['main'], wakeAfterMs: 295_000 },
    },
    {
      because: 'init containers run first, one at a time',
      spec: spec('Never', ['a', 'b']),
      views: {},
      next: { start: ['a'] },
    },
    {
      because: 'the next init container follows',
      spec: spec('Never', ['a', 'b']),
      views: { a: ended(0) },
      next: { start: ['b'] },
    },
    {
      because: 'the main containers start last',
      spec: spec('Never', ['a']),
      views: { a: ended(0) },
      next: { start: ['main'] },
    },
    {
      because: 'a failed init container ends the pod',
      spec: spec('Never', ['a']),
      views: { a: ended(1) },
      next: { isDone: true },
    },
    {
      because: 'a failed init container is restarted if the policy allows it',
      spec: spec('OnFailure', ['a']),
      views: { a: ended(1) },
      next: { start: ['a'] },
    },
    {
      because: 'a sidecar starts before later containers',
      spec: spec('Never', ['side', 'a']),
      views: {},
      next: { start: ['side'] },
    },
    {
      because: 'a sidecar only has to be started',
      spec: spec('Never', ['side', 'a']),
      views: { side: running },
      next: { start: ['a'] },
    },
    {
      because: 'a sidecar is restarted beside running containers',
      spec: spec('Never', ['side']),
      views: { side: ended(0), main: running },
      next: { start: ['side'] },
    },
    {
      because: 'a sidecar is stopped when the others are done',
      spec: spec('Never', ['side']),
      views: { side: running, main: ended(0) },
      next: { stop: ['side'] },
    },
    {
      because: 'the pod is done after its sidecars',
      spec: spec('Never', ['side']),
      views: { side: ended(143), main: ended(0) },
      next: { isDone: true },
    },
  ])('$because', ({ spec: podSpec, views, next }) => {
    expect(decide(podSpec, views as Record<string, ContainerView>)).toEqual({ ...nothing, ...next })
  })

  test('a pod that must end stops all containers and starts none', () => {
    expect(decide(spec('Always', ['side']), { side: running }, true)).toEqual({
      ...nothing,
      stop: ['side'],
    })
    expect(decide(spec('Always'), { main: ended(1) }, true)).toEqual({ ...nothing, isDone: true })
    expect(decide(spec('Always'), {}, true)).toEqual({ ...nothing, isDone: true })
  })

  test('after a long run the next failure counts as the first', () => {
    const view: ContainerView = {
      starts: 9,
      end: {
        exitCode: 1,
        reason: 'x',
        startedAt: '2025-12-31T23:00:00Z',
        finishedAt: '2026-01-01T00:09:59Z',
      },
    }
    expect(decide(spec('Always'), { main: view }).start).toEqual(['main'])
  })
})
