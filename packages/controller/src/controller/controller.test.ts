import type { KubeObject } from '@agents/kube'
import { createLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import { mappedSource } from '../sources/source.ts'
import { MemoryInformer } from '../testing/memory-informer.ts'
import { Controller, type ControllerOptions } from './controller.ts'
import { noControllerMetrics } from './controller-metrics.ts'
import type { Reconcile } from './reconcile-function.ts'
import { TerminalError } from './terminal-error.ts'

function thing(name: string, resourceVersion: string): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'n', generation: 1, resourceVersion },
  }
}

function setUp(reconcile: Reconcile, extra: Partial<ControllerOptions<KubeObject>> = {}) {
  const clock = new ManualClock()
  const informer = new MemoryInformer()
  const lines: Record<string, unknown>[] = []
  const counts = { outcomes: [] as string[], terminal: 0, panics: 0, timeouts: 0, active: 0 }
  const controller = new Controller({
    kind: { group: 'example.com', kind: 'Thing' },
    primary: informer,
    reconcile,
    clock,
    log: createLogger({ sink: { write: (line) => lines.push(JSON.parse(line)) }, level: 'debug' }),
    metrics: {
      ...noControllerMetrics,
      reconciled: (outcome) => counts.outcomes.push(outcome),
      terminalError: () => {
        counts.terminal += 1
      },
      panicked: () => {
        counts.panics += 1
      },
      timedOut: () => {
        counts.timeouts += 1
      },
      workersActive: (change) => {
        counts.active += change
      },
    },
    ...extra,
  })
  const control = new AbortController()
  const start = () => {
    const running = controller.run(control.signal)
    // A test that fails early must not leave an unhandled rejection.
    running.catch(() => undefined)
    onTestFinished(() => control.abort())
    return running
  }
  return { clock, informer, controller, control, lines, counts, start }
}

/** Records which objects were reconciled, by name and version. */
function recording(result: Awaited<ReturnType<Reconcile>> = {}) {
  const seen: string[] = []
  const reconcile: Reconcile = async ({ metadata }) => {
    seen.push(`${metadata.name}@${metadata.resourceVersion}`)
    return result
  }
  return { seen, reconcile }
}

describe('a controller', () => {
  test('starts reconciling when all its sources have synced', async () => {
    const { seen, reconcile } = recording()
    const { clock, informer, start, controller } = setUp(reconcile)
    informer.synced = false
    informer.put(thing('a', '1'))
    void start()
    await clock.advance(1000)
    expect([controller.hasSynced(), seen]).toEqual([false, []])
    informer.synced = true
    await clock.advance(100)
    expect([controller.hasSynced(), seen]).toEqual([true, ['a@1']])
  })

  test('does not start if a source does not sync in time, and names it', async () => {
    const other = new MemoryInformer()
    other.synced = false
    const { reconcile } = recording()
    const sources = [mappedSource('secrets', other, () => [])]
    const { clock, start } = setUp(reconcile, { sources, syncTimeoutMs: 5000 })
    const running = start()
    const refused = expect(running).rejects.toThrow('thing: secrets not synced within 5 s')
    await clock.advance(6000)
    await refused
    expect(other.subscribers).toBe(0)
  })

  test('reconciles existing and changed objects, but not deleted ones', async () => {
    const { seen, reconcile } = recording()
    const gone: string[] = []
    const { clock, informer, start, counts } = setUp(reconcile, { gone: (key) => gone.push(key) })
    informer.put(thing('a', '1'))
    void start()
    await clock.advance(50)
    informer.put(thing('a', '2'))
    informer.put(thing('b', '3'))
    await clock.advance(1)
    informer.delete('n/b', '4')
    await clock.advance(1)
    expect(seen).toEqual(['a@1', 'a@2', 'b@3'])
    expect(gone).toEqual(['n/b'])
    expect(counts).toMatchObject({ outcomes: Array(4).fill('success'), active: 0 })
  })

  test('handles events before the initial list', async () => {
    const { seen, reconcile } = recording()
    const { clock, informer, start } = setUp(reconcile)
    for (const name of ['a', 'b', 'c']) informer.put(thing(name, '1'))
    informer.synced = false
    void start()
    informer.put(thing('late', '2'))
    informer.synced = true
    await clock.advance(50)
    expect(seen).toEqual(['late@2', 'a@1', 'b@1', 'c@1'])
  })

  test('reconciles again after recheckAfterMs', async () => {
    const { seen, reconcile } = recording({ recheckAfterMs: 60_000 })
    const { clock, informer, start, counts } = setUp(reconcile)
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(59_999)
    expect(seen).toHaveLength(1)
    await clock.advance(1)
    expect(seen).toHaveLength(2)
    expect(counts.outcomes).toEqual(['requeue_after', 'requeue_after'])
  })

  test('backs off after failures, and resets the backoff after a success', async () => {
    let failing = true
    const times: number[] = []
    const { clock, informer, start, counts, lines, controller } = setUp(async () => {
      times.push(clock.elapsed())
      if (failing) throw new Error('no answer')
      return {}
    })
    void start()
    await clock.advance(100)
    informer.put(thing('a', '1'))
    await clock.advance(40)
    expect(times).toEqual([100, 105, 115, 135])
    expect(lines[0]).toMatchObject({
      level: 'error',
      message: 'reconcile failed',
      controller: 'thing',
      kind: 'Thing',
      namespace: 'n',
      name: 'a',
      generation: 1,
      error: { message: 'no answer' },
    })
    expect(new Set(lines.map(({ reconcileID }) => reconcileID)).size).toBe(4)
    failing = false
    await clock.advance(100)
    expect(controller.queue.failures('n/a')).toBe(0)
    expect(counts.outcomes).toEqual(['error', 'error', 'error', 'error', 'success'])
    expect(counts.panics).toBe(0)
  })

  test('counts programming errors, and continues', async () => {
    const { clock, informer, start, counts } = setUp(() => {
      const none = undefined as unknown as { field: never }
      return none.field
    })
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(5)
    expect(counts).toMatchObject({ panics: 2, outcomes: ['error', 'error'] })
  })

  test('does not retry a terminal error until something changes', async () => {
    let looks = 0
    const { clock, informer, start, counts } = setUp(async () => {
      looks += 1
      throw new TerminalError('never')
    })
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(3_600_000)
    expect(looks).toBe(1)
    informer.put(thing('a', '2'))
    await clock.advance(1)
    expect(looks).toBe(2)
    expect(counts.terminal).toBe(2)
  })

  test('retries after a conflict, without counting an error', async () => {
    const { seen, reconcile } = recording({ tryAgain: true })
    const { clock, informer, start, counts, lines } = setUp(reconcile)
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(5)
    expect(seen).toHaveLength(2)
    expect(counts.outcomes).toEqual(['requeue', 'requeue'])
    expect(lines).toEqual([])
  })

  test('aborts a reconcile that takes too long', async () => {
    const { clock, informer, start, counts } = setUp(
      (_object, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
      { timeoutMs: 3000 },
    )
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(3000)
    expect(counts).toMatchObject({ timeouts: 1, outcomes: ['error'] })
  })

  test('reconciles several objects concurrently, but each only once at a time', async () => {
    const release: (() => void)[] = []
    const { clock, informer, start } = setUp(
      () => new Promise((resolve) => release.push(() => resolve({}))),
      { workers: 2 },
    )
    void start()
    await clock.advance(50)
    for (const name of ['a', 'b', 'c']) informer.put(thing(name, '1'))
    informer.put(thing('a', '2'))
    await clock.advance(1)
    expect(release).toHaveLength(2)
    for (const done of release.splice(0)) done()
    await clock.advance(1)
    expect(release).toHaveLength(2)
  })

  test('accepts a further source while it runs', async () => {
    const { seen, reconcile } = recording()
    const { clock, informer, start, controller } = setUp(reconcile)
    informer.put(thing('a', '1'))
    void start()
    await clock.advance(50)
    const secrets = new MemoryInformer()
    controller.addSource(mappedSource('secrets', secrets, () => [{ namespace: 'n', name: 'a' }]))
    secrets.put(thing('s', '9'))
    await clock.advance(1)
    expect(seen).toEqual(['a@1', 'a@1'])
  })
})

describe('its own writes', () => {
  test('are what the next reconcile sees, although the cache is behind', async () => {
    const seen: string[] = []
    const { clock, informer, start } = setUp(async ({ metadata }, { remember }) => {
      seen.push(metadata.resourceVersion ?? '')
      if (metadata.resourceVersion === '1') remember(thing('a', '5'))
      return { recheckAfterMs: 10 }
    })
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(20)
    expect(seen).toEqual(['1', '5', '5'])
  })

  test.each([
    { because: 'the event arrives after the response', echo: 'after' },
    { because: 'the event arrives before the response', echo: 'before' },
  ])('do not trigger a reconcile: $because', async ({ echo }) => {
    let looks = 0
    const { clock, informer, start, controller } = setUp(async (_object, { remember }) => {
      looks += 1
      if (looks > 1) return {}
      if (echo === 'before') informer.put(thing('a', '2'))
      remember(thing('a', '2'))
      return {}
    })
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(1)
    if (echo === 'after') informer.put(thing('a', '2'))
    await clock.advance(1000)
    expect(looks).toBe(1)
    expect(controller.objects.size, 'copies of what the cache has').toBe(0)
    informer.put(thing('a', '3'))
    await clock.advance(1)
    expect(looks).toBe(2)
  })

  test('do not hide the write of another client during the reconcile', async () => {
    let looks = 0
    const { clock, informer, start } = setUp(async (_object, { remember }) => {
      looks += 1
      if (looks > 1) return {}
      informer.put(thing('a', '2'))
      remember(thing('a', '2'))
      informer.put(thing('a', '3'))
      return {}
    })
    void start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(1)
    expect(looks).toBe(2)
  })
})

describe('stopping', () => {
  test('waits for running reconciles and starts no new ones', async () => {
    let finish = (): void => undefined
    const seen: string[] = []
    const { clock, informer, start, control } = setUp(({ metadata }) => {
      seen.push(metadata.name)
      return new Promise((resolve) => {
        finish = () => resolve({})
      })
    })
    const running = start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    informer.put(thing('b', '1'))
    await clock.advance(1)
    let over = false
    void running.then(() => {
      over = true
    })
    control.abort()
    await clock.advance(1000)
    expect(over).toBe(false)
    finish()
    await clock.advance(1)
    expect(over).toBe(true)
    expect(seen).toEqual(['a'])
    expect(informer.subscribers).toBe(0)
    expect(clock.pendingAlarms).toBe(0)
  })

  test('aborts reconciles that do not end in time', async () => {
    const { clock, informer, start, control } = setUp(
      (_object, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
      { drainMs: 2000 },
    )
    const running = start()
    await clock.advance(50)
    informer.put(thing('a', '1'))
    await clock.advance(1)
    control.abort()
    await clock.advance(2000)
    await running
    expect(clock.pendingAlarms).toBe(0)
  })
})
