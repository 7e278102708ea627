import { describe, expect, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import { lowPriority, WorkQueue } from '../work-queue/work-queue.ts'
import { createMetrics } from './metrics.ts'

async function lines(metrics: ReturnType<typeof createMetrics>, name: string) {
  return (await metrics.render()).split('\n').filter((line) => line.startsWith(name))
}

describe('metrics', () => {
  test('all exist with the value zero from the start', async () => {
    const metrics = createMetrics({ process: false })
    metrics.controller('run', 3)
    metrics.leaderElection('controllers')
    const text = await metrics.render()
    for (const line of [
      'controller_runtime_reconcile_total{controller="run",result="success"} 0',
      'controller_runtime_reconcile_total{controller="run",result="error"} 0',
      'controller_runtime_reconcile_total{controller="run",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="run",result="requeue_after"} 0',
      'controller_runtime_reconcile_errors_total{controller="run"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="run"} 0',
      'controller_runtime_reconcile_panics_total{controller="run"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="run"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="run"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="run"} 3',
      'controller_runtime_active_workers{controller="run"} 0',
      'workqueue_depth{name="run",controller="run",priority="0"} 0',
      'workqueue_adds_total{name="run",controller="run"} 0',
      'workqueue_retries_total{name="run",controller="run"} 0',
      'workqueue_queue_duration_seconds_count{name="run",controller="run"} 0',
      'workqueue_work_duration_seconds_count{name="run",controller="run"} 0',
      'workqueue_unfinished_work_seconds{name="run",controller="run"} 0',
      'workqueue_longest_running_processor_seconds{name="run",controller="run"} 0',
      'leader_election_master_status{name="controllers"} 0',
    ]) {
      expect(text).toContain(line)
    }
  })

  test('read gauges of a service at each scrape, and drop missing samples', async () => {
    const metrics = createMetrics({ process: false })
    let known: Record<string, number> = { a: 1, b: 2 }
    metrics.gauge({
      name: 'service_waiting',
      help: 'How many wait.',
      labelNames: ['target'],
      read: () => Object.entries(known).map(([target, value]) => ({ labels: { target }, value })),
    })
    expect(await lines(metrics, 'service_waiting')).toEqual([
      'service_waiting{target="a"} 1',
      'service_waiting{target="b"} 2',
    ])
    known = { b: 3 }
    expect(await lines(metrics, 'service_waiting')).toEqual(['service_waiting{target="b"} 3'])
  })

  test('read counters of a service at each scrape', async () => {
    const metrics = createMetrics({ process: false })
    let count = 1
    metrics.counter({
      name: 'service_dropped_total',
      help: 'How many were dropped.',
      labelNames: [],
      read: () => [{ labels: {}, value: count }],
    })
    expect(await lines(metrics, 'service_dropped_total')).toEqual(['service_dropped_total 1'])
    count = 5
    expect(await lines(metrics, 'service_dropped_total')).toEqual(['service_dropped_total 5'])
    expect(await metrics.render()).toContain('# TYPE service_dropped_total counter')
  })

  test('have the buckets of controller-runtime', async () => {
    const metrics = createMetrics({ process: false })
    metrics.controller('run', 1)
    const bounds = async (name: string) =>
      (await lines(metrics, `${name}_bucket`)).map((line) => /le="([^"]+)"/.exec(line)?.[1])
    const reconcile = await bounds('controller_runtime_reconcile_time_seconds')
    expect(reconcile).toHaveLength(41)
    expect([reconcile[0], reconcile[39], reconcile[40]]).toEqual(['0.005', '60', '+Inf'])
    const queue = (await bounds('workqueue_queue_duration_seconds')).map(Number)
    expect(queue.slice(0, 12)).toEqual([
      1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000,
    ])
  })

  test('follow a queue', async () => {
    const metrics = createMetrics({ process: false })
    const clock = new ManualClock()
    const queue = new WorkQueue({ clock, metrics: metrics.controller('run', 1).queue })
    metrics.watchQueue('run', queue)
    queue.add('a', { priority: lowPriority })
    queue.add('b')
    queue.add('c', { rateLimited: true })
    await queue.take()
    await clock.advance(2000)
    const text = await metrics.render()
    for (const line of [
      'workqueue_depth{name="run",controller="run",priority="-100"} 1',
      'workqueue_depth{name="run",controller="run",priority="0"} 1',
      'workqueue_adds_total{name="run",controller="run"} 3',
      'workqueue_retries_total{name="run",controller="run"} 1',
      'workqueue_unfinished_work_seconds{name="run",controller="run"} 2',
      'workqueue_longest_running_processor_seconds{name="run",controller="run"} 2',
    ]) {
      expect(text).toContain(line)
    }
  })

  test('have at most 25 priority labels and one for the rest', async () => {
    const metrics = createMetrics({ process: false })
    const { queue } = metrics.controller('run', 1)
    for (let priority = 1; priority <= 40; priority += 1) queue.added(priority)
    const depths = await lines(metrics, 'workqueue_depth')
    expect(depths).toHaveLength(26)
    expect(depths.at(-1)).toBe(
      'workqueue_depth{name="run",controller="run",priority="exceeded_cardinality_limit"} 16',
    )
  })

  test('count reconciles, requests and leadership', async () => {
    const metrics = createMetrics({ process: false })
    const controller = metrics.controller('run', 1)
    controller.reconciled('error', 0.02)
    controller.reconciled('success', 0.02)
    controller.terminalError()
    controller.panicked()
    controller.timedOut()
    controller.workersActive(1)
    metrics.onRequest({ code: '200', method: 'GET', host: '127.0.0.1:6443' })
    metrics.leaderElection('controllers')(true)
    const text = await metrics.render()
    for (const line of [
      'controller_runtime_reconcile_total{controller="run",result="error"} 1',
      'controller_runtime_reconcile_errors_total{controller="run"} 1',
      'controller_runtime_reconcile_time_seconds_bucket{le="0.025",controller="run"} 2',
      'controller_runtime_terminal_reconcile_errors_total{controller="run"} 1',
      'controller_runtime_reconcile_panics_total{controller="run"} 1',
      'controller_runtime_reconcile_timeouts_total{controller="run"} 1',
      'controller_runtime_active_workers{controller="run"} 1',
      'rest_client_requests_total{code="200",method="GET",host="127.0.0.1:6443"} 1',
      'leader_election_master_status{name="controllers"} 1',
    ]) {
      expect(text).toContain(line)
    }
  })

  test('include those of the process if requested', async () => {
    expect(await lines(createMetrics(), 'process_cpu_seconds_total')).not.toEqual([])
  })
})
