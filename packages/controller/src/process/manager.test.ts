import { EventEmitter } from 'node:events'
import { silentLogger } from '@agents/log'
import { describe, expect, test } from 'vitest'
import { whenAborted } from '../abort/when-aborted.ts'
import { ManualClock } from '../clock/manual-clock.ts'
import type { LeadershipEnd } from '../leader-election/leader-elector.ts'
import { LeadershipLost, Manager, type ManagerOptions, ShutdownTimeout } from './manager.ts'
import type { Runnable } from './runnable.ts'
import { type SignalSource, stopSignals } from './stop-signals.ts'

function setUp(options: Partial<ManagerOptions> = {}) {
  const clock = new ManualClock()
  const log: string[] = []
  const manager = new Manager({
    log: silentLogger,
    clock,
    ...options,
  })
  const part = (
    name: string,
    until: (signal: AbortSignal) => Promise<void> = whenAborted,
  ): Runnable => ({
    name,
    start: async () => {
      log.push(`start ${name}`)
    },
    run: async (signal) => {
      await until(signal)
      log.push(`end ${name}`)
    },
  })
  return { clock, log, manager, part, control: new AbortController() }
}

function election() {
  let lose = (): void => undefined
  let elect = (): void => undefined
  const log: string[] = []
  return {
    log,
    lose: () => lose(),
    elect: () => elect(),
    acquire: (signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        elect = () => resolve(true)
        signal.addEventListener('abort', () => resolve(false))
      }),
    hold: (signal: AbortSignal) =>
      new Promise<LeadershipEnd>((resolve) => {
        lose = () => resolve('lost')
        signal.addEventListener('abort', () => {
          log.push('stopped holding')
          resolve('stopped')
        })
      }),
    release: async () => {
      log.push('released')
    },
  }
}

describe('a process', () => {
  test('starts its parts in order and stops them in reverse order', async () => {
    const { log, manager, part, clock, control } = setUp()
    manager.add('leading', part('controller'))
    manager.add('always', part('api'))
    manager.add('caches', part('caches'))
    manager.add('servers', part('probes'))
    const running = manager.run(control.signal)
    await clock.advance(0)
    expect(log).toEqual(['start probes', 'start caches', 'start api', 'start controller'])
    control.abort()
    await running
    expect(log.slice(4)).toEqual(['end controller', 'end api', 'end caches', 'end probes'])
    expect(clock.pendingAlarms).toBe(0)
  })

  test('delays only the parts that need the leadership', async () => {
    const elected = election()
    const { log, manager, part, clock, control } = setUp({ election: elected })
    manager.add('servers', part('probes'))
    manager.add('leading', part('controller'))
    const running = manager.run(control.signal)
    await clock.advance(60_000)
    expect(log).toEqual(['start probes'])
    elected.elect()
    await clock.advance(0)
    expect(log).toEqual(['start probes', 'start controller'])
    control.abort()
    await running
    expect(elected.log).toEqual(['stopped holding', 'released'])
  })

  test('that never led stops in order too', async () => {
    const { log, manager, part, clock, control } = setUp({ election: election() })
    manager.add('servers', part('probes'))
    manager.add('leading', part('controller'))
    const running = manager.run(control.signal)
    await clock.advance(0)
    control.abort()
    await running
    expect(log).toEqual(['start probes', 'end probes'])
  })

  test('ends at once if it has lost the leadership', async () => {
    const elected = election()
    const { manager, part, clock, control } = setUp({ election: elected })
    manager.add(
      'leading',
      part('controller', () => new Promise(() => undefined)),
    )
    const running = manager.run(control.signal)
    await clock.advance(0)
    elected.elect()
    await clock.advance(0)
    elected.lose()
    const refused = expect(running).rejects.toThrow(LeadershipLost)
    await clock.advance(0)
    await refused
    expect(elected.log).toEqual([])
  })

  test('ends with the error of a part that fails', async () => {
    const { log, manager, part, clock, control } = setUp()
    manager.add('servers', part('probes'))
    manager.add(
      'always',
      part('api', () => Promise.reject(new Error('port taken'))),
    )
    const running = manager.run(control.signal)
    const refused = expect(running).rejects.toThrow('port taken')
    await clock.advance(0)
    await refused
    expect(log).toEqual(['start probes', 'start api', 'end probes'])
  })

  test('ends if a part fails to start, without starting the later ones', async () => {
    const { log, manager, part, clock, control } = setUp()
    manager.add('servers', part('probes'))
    manager.add('caches', {
      ...part('caches'),
      start: () => Promise.reject(new Error('not synced')),
    })
    manager.add('leading', part('controller'))
    const running = manager.run(control.signal)
    const refused = expect(running).rejects.toThrow('not synced')
    await clock.advance(0)
    await refused
    expect(log).toEqual(['start probes', 'end probes'])
  })

  test('gives up on parts that do not stop in time', async () => {
    const { manager, part, clock, control } = setUp({ shutdownMs: 5_000 })
    manager.add(
      'always',
      part('api', () => new Promise(() => undefined)),
    )
    const running = manager.run(control.signal)
    await clock.advance(0)
    control.abort()
    const refused = expect(running).rejects.toThrow(ShutdownTimeout)
    await clock.advance(5_000)
    await refused
  })
})

test('the first signal requests a shutdown, the second exits at once', () => {
  const emitter = new EventEmitter()
  const codes: number[] = []
  const stop = stopSignals(emitter as SignalSource, (code) => codes.push(code))
  expect(stop.signal.aborted).toBe(false)
  emitter.emit('SIGTERM')
  expect([stop.signal.aborted, codes]).toEqual([true, []])
  emitter.emit('SIGINT')
  expect(codes).toEqual([1])
  stop.dispose()
  expect(emitter.listenerCount('SIGTERM') + emitter.listenerCount('SIGINT')).toBe(0)
})
