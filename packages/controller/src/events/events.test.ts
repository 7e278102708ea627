import { type ClusterEvent, type KubeClient, KubeError, type KubeObject } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import { ClusterEventRecorder, type ClusterEventRecorderOptions } from './cluster-event-recorder.ts'
import { EventCorrelator } from './event-correlator.ts'
import type { EventNote } from './event-recorder.ts'
import { LruMap } from './lru-map.ts'

function note(message: string, extra: Partial<EventNote> = {}): EventNote {
  return {
    type: 'Normal',
    reason: 'Started',
    message,
    ...extra,
  }
}

function object(name = 'a', namespace: string | undefined = 'n'): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Run',
    metadata: { name, uid: `uid-${name}`, ...(namespace !== '' && { namespace }) },
  }
}

function setUp(options: Partial<ClusterEventRecorderOptions> = {}) {
  const clock = new ManualClock()
  const created: Omit<ClusterEvent, 'apiVersion' | 'kind'>[] = []
  const patched: { name: string; body: unknown }[] = []
  const failures: Error[] = []
  const failNext = (): void => {
    const failure = failures.shift()
    if (failure) throw failure
  }
  const client = {
    create: async (_kind: unknown, event: ClusterEvent) => {
      failNext()
      created.push(event)
      return event
    },
    patch: async (_kind: unknown, { name }: { name: string }, { body }: { body: unknown }) => {
      failNext()
      patched.push({ name, body })
      return body
    },
  } as unknown as Pick<KubeClient, 'create' | 'patch'>
  const recorder = new ClusterEventRecorder({
    client,
    clock,
    random: () => 0.5,
    source: { component: 'agents/run', instance: 'pod-1' },
    log: silentLogger,
    ...options,
  })
  return { clock, created, patched, failures, recorder }
}

describe('the recorder', () => {
  test('records what happened, the object, the time and the reporting component', async () => {
    const { clock, created, recorder } = setUp()
    recorder.record(object(), note('its Job was created'))
    await clock.advance(0)
    expect(created).toHaveLength(1)
    expect(created[0]).toMatchObject({
      metadata: { namespace: 'n' },
      involvedObject: {
        apiVersion: 'example.com/v1',
        kind: 'Run',
        namespace: 'n',
        name: 'a',
        uid: 'uid-a',
      },
      type: 'Normal',
      reason: 'Started',
      action: 'Started',
      message: 'its Job was created',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      reportingComponent: 'agents/run',
      reportingInstance: 'pod-1',
    })
    expect(created[0]?.metadata.name).toMatch(/^a\.[0-9a-f]{16}$/)
  })

  test('raises the count of a repeated event', async () => {
    const { clock, created, patched, recorder } = setUp()
    recorder.record(object(), note('x'))
    await clock.advance(60_000)
    recorder.record(object(), note('x'))
    recorder.record(object(), note('x'))
    await clock.advance(0)
    expect(created).toHaveLength(1)
    expect(patched).toEqual([
      {
        name: created[0]?.metadata.name,
        body: { count: 2, lastTimestamp: '2026-01-01T00:01:00Z', message: 'x' },
      },
      {
        name: created[0]?.metadata.name,
        body: { count: 3, lastTimestamp: '2026-01-01T00:01:00Z', message: 'x' },
      },
    ])
  })

  test('creates the event again if it was deleted, and keeps the count', async () => {
    const { clock, created, failures, recorder } = setUp()
    recorder.record(object(), note('x'))
    await clock.advance(0)
    failures.push(new KubeError('gone', { code: 404, reason: 'NotFound' }))
    recorder.record(object(), note('x'))
    await clock.advance(0)
    expect(created.map(({ count }) => count)).toEqual([1, 2])
    expect(new Set(created.map(({ metadata }) => metadata.name)).size).toBe(2)
  })

  test('redacts secrets, truncates long names and messages, and defaults the namespace', async () => {
    const { clock, created, recorder } = setUp()
    recorder.record(
      object('x'.repeat(253), ''),
      note(`push https://u:hunter2@git.example ${'y'.repeat(2000)}`),
    )
    await clock.advance(0)
    const [event] = created
    expect(event?.message?.length).toBe(1024)
    expect(event?.message).not.toContain('hunter2')
    expect(event?.metadata.name.length).toBe(253)
    expect(event?.metadata.namespace).toBe('default')
    expect(event?.involvedObject.namespace).toBeUndefined()
  })

  test('retries in order while the server is unavailable', async () => {
    const { clock, created, failures, recorder } = setUp()
    failures.push(
      new Error('no connection'),
      new KubeError('busy', { code: 503, reason: 'ServiceUnavailable' }),
    )
    recorder.record(object(), note('first'))
    recorder.record(object(), note('second'))
    await clock.advance(4_999)
    expect(created).toEqual([])
    await clock.advance(10_001)
    expect(created.map(({ message }) => message)).toEqual(['first', 'second'])
  })

  test('gives up after twelve attempts, or at once if the server rejects the event', async () => {
    const { clock, created, failures, recorder } = setUp()
    failures.push(...Array.from({ length: 12 }, () => new Error('no connection')))
    failures.push(new KubeError('no', { code: 403, reason: 'Forbidden' }))
    for (const message of ['lost', 'unwanted', 'told']) recorder.record(object(), note(message))
    await clock.advance(120_000)
    expect(created.map(({ message }) => message)).toEqual(['told'])
  })

  test('drops events that do not fit its queue', async () => {
    const { clock, created, failures, recorder } = setUp({ queueLength: 2, tries: 1 })
    failures.push(new Error('no connection'))
    for (let n = 0; n < 5; n += 1) recorder.record(object(), note(`${n}`))
    await clock.advance(0)
    expect(created.map(({ message }) => message)).toEqual(['1', '2'])
  })

  test('sends queued events when it stops, and accepts no more', async () => {
    const { created, recorder } = setUp()
    recorder.record(object(), note('last'))
    await recorder.stop()
    recorder.record(object(), note('too late'))
    await recorder.stop()
    expect(created.map(({ message }) => message)).toEqual(['last'])
  })
})

describe('the correlator', () => {
  test('allows 25 events per object, then one in five minutes, whatever other objects have', () => {
    const correlator = new EventCorrelator()
    const recordEvent = (about: string, at: number) =>
      correlator.correlate(about, note('x'), at).kind === 'tell'
    const recorded = Array.from({ length: 30 }, () => recordEvent('a', 0)).filter(Boolean)
    expect(recorded).toHaveLength(25)
    expect([
      recordEvent('b', 0),
      recordEvent('a', 299_000),
      recordEvent('a', 300_000),
      recordEvent('a', 300_000),
    ]).toEqual([true, false, true, false])
  })

  test('combines the tenth different message and those after it', () => {
    const correlator = new EventCorrelator()
    const results = Array.from({ length: 12 }, (_, n) =>
      correlator.correlate('a', note(`m${n}`), n),
    )
    const keys = results.map((result) => (result.kind === 'tell' ? result.key : ''))
    expect(new Set(keys).size).toBe(10)
    expect(results[8]).toMatchObject({ message: 'm8' })
    expect(results[9]).toMatchObject({ message: '(combined from similar events): m9' })
    expect(keys[9]).toBe(keys[11])
  })

  test('counts each reason separately, and starts over after a quiet period', () => {
    const correlator = new EventCorrelator({ burst: 100 })
    for (let n = 0; n < 12; n += 1) correlator.correlate('a', note(`m${n}`), 0)
    expect(correlator.correlate('a', note('m', { reason: 'Other' }), 0)).toMatchObject({
      message: 'm',
    })
    expect(correlator.correlate('a', note('m'), 600_001)).toMatchObject({ message: 'm' })
  })
})

test('an LRU map evicts the least recently used entry', () => {
  const map = new LruMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.get('a')
  map.set('c', 3)
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2])
})
