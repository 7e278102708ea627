import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ControllerMetrics, ReconcileOutcome } from '../controller/controller-metrics.ts'
import type { WorkQueue } from '../work-queue/work-queue.ts'
import { priorityLabel } from './priority-label.ts'

/** Metrics of one process, under the names that dashboards for controller-runtime expect. */
export interface Metrics {
  /** The metrics of one controller. All counters exist with 0 from the start. */
  controller(name: string, workers: number): ControllerMetrics
  /** Metrics that are computed when they are scraped: how long unfinished work takes. */
  watchQueue(name: string, queue: Pick<WorkQueue, 'workInProgress'>): void
  /** To be passed to the Kubernetes client. */
  onRequest(outcome: {
    readonly code: string
    readonly method: string
    readonly host: string
  }): void
  leaderElection(name: string): (isLeader: boolean) => void
  /** Adds a gauge that is read when it is scraped. */
  gauge(options: GaugeOptions): void
  /** Adds a counter that is read when it is scraped. */
  counter(options: GaugeOptions): void
  readonly contentType: string
  render(): Promise<string>
}

export interface GaugeOptions {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  /** Samples that are missing from the result are removed. */
  read(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }>
}

interface MetricsOptions {
  /** Memory, CPU and event loop of the process. Default true. */
  readonly process?: boolean
}

export function createMetrics({ process = true }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  if (process) collectDefaultMetrics({ register: registry })
  const reconciles = reconcileMetrics(registry)
  const queues = queueMetrics(registry)
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labelNames: ['code', 'method', 'host'],
    registers: [registry],
  })
  const leader = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process leads: 1 if so, 0 if it is a backup.',
    labelNames: ['name'],
    registers: [registry],
  })
  return {
    controller: (name, workers) => ({
      ...reconciles(name, workers),
      queue: queues.of(name),
    }),
    watchQueue: queues.watch,
    onRequest: ({ code, method, host }) => requests.inc({ code, method, host }),
    leaderElection: (name) => {
      leader.set({ name }, 0)
      return (isLeader) => leader.set({ name }, isLeader ? 1 : 0)
    },
    gauge: ({ name, help, labelNames, read }) => {
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers: [registry],
        collect() {
          this.reset()
          for (const { labels, value } of read()) this.set(labels, value)
        },
      })
    },
    counter: ({ name, help, labelNames, read }) => {
      new Counter({
        name,
        help,
        labelNames: [...labelNames],
        registers: [registry],
        collect() {
          this.reset()
          for (const { labels, value } of read()) this.inc(labels, value)
        },
      })
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
  }
}

function reconcileMetrics(
  registry: Registry,
): (name: string, workers: number) => Omit<ControllerMetrics, 'queue'> {
  const registers = [registry]
  const labelNames = ['controller'] as const
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers })
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations per controller.',
    labelNames: ['controller', 'result'],
    registers,
  })
  const errors = counter(
    'controller_runtime_reconcile_errors_total',
    'Total number of reconciliation errors per controller.',
  )
  const terminal = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Total number of terminal reconciliation errors per controller.',
  )
  const panics = counter(
    'controller_runtime_reconcile_panics_total',
    'Total number of reconciliation panics per controller.',
  )
  const timeouts = counter(
    'controller_runtime_reconcile_timeouts_total',
    'Total number of reconciliation timeouts per controller.',
  )
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of time per reconciliation per controller.',
    labelNames,
    buckets: reconcileBuckets,
    registers,
  })
  const most = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent reconciles per controller.',
    labelNames,
    registers,
  })
  const active = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Number of currently used workers per controller.',
    labelNames,
    registers,
  })
  return (controller, workers) => {
    const label = { controller }
    for (const one of [errors, terminal, panics, timeouts]) one.inc(label, 0)
    for (const result of outcomes) total.inc({ controller, result }, 0)
    time.zero(label)
    most.set(label, workers)
    active.set(label, 0)
    return {
      reconciled: (result, seconds) => {
        total.inc({ controller, result })
        if (result === 'error') errors.inc(label)
        time.observe(label, seconds)
      },
      terminalError: () => terminal.inc(label),
      panicked: () => panics.inc(label),
      timedOut: () => timeouts.inc(label),
      workersActive: (change) => active.inc(label, change),
    }
  }
}

const outcomes: readonly ReconcileOutcome[] = ['success', 'error', 'requeue', 'requeue_after']

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]

/** Ten nanoseconds to a quarter of an hour, a decade each. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000]

function queueMetrics(registry: Registry): {
  of(name: string): ControllerMetrics['queue']
  watch(name: string, queue: Pick<WorkQueue, 'workInProgress'>): void
} {
  const registers = [registry]
  const labelNames = ['name', 'controller'] as const
  const depth = new Gauge({
    name: 'workqueue_depth',
    help: 'Current depth of workqueue by workqueue and priority.',
    labelNames: ['name', 'controller', 'priority'],
    registers,
  })
  const adds = new Counter({
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue.',
    labelNames,
    registers,
  })
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue.',
    labelNames,
    registers,
  })
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, buckets: queueBuckets, registers })
  const waits = histogram(
    'workqueue_queue_duration_seconds',
    'How long in seconds an item stays in workqueue before being requested.',
  )
  const works = histogram(
    'workqueue_work_duration_seconds',
    'How long in seconds processing an item from workqueue takes.',
  )
  const watch = progressMetrics(registry)
  return {
    watch,
    of: (name) => {
      const label = { name, controller: name }
      const priorityOf = priorityLabel()
      const move = (priority: number, change: number): void =>
        depth.inc({ ...label, priority: priorityOf(priority) }, change)
      move(0, 0)
      adds.inc(label, 0)
      retries.inc(label, 0)
      waits.zero(label)
      works.zero(label)
      watch(name, { workInProgress: () => [] })
      return {
        added: (priority) => {
          adds.inc(label)
          move(priority, 1)
        },
        retried: () => retries.inc(label),
        reprioritized: (from, to) => {
          move(from, -1)
          move(to, 1)
        },
        taken: (priority, waited) => {
          move(priority, -1)
          waits.observe(label, waited)
        },
        finished: (worked) => works.observe(label, worked),
      }
    },
  }
}

function progressMetrics(
  registry: Registry,
): (name: string, queue: Pick<WorkQueue, 'workInProgress'>) => void {
  const queues = new Map<string, Pick<WorkQueue, 'workInProgress'>>()
  const gauge = (name: string, help: string, measure: (seconds: readonly number[]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['name', 'controller'],
      registers: [registry],
      collect() {
        for (const [queue, { workInProgress }] of queues) {
          this.set({ name: queue, controller: queue }, measure(workInProgress()))
        }
      },
    })
  gauge(
    'workqueue_unfinished_work_seconds',
    'How many seconds of work is in progress and has not been observed by work_duration.',
    (seconds) => seconds.reduce((sum, one) => sum + one, 0),
  )
  gauge(
    'workqueue_longest_running_processor_seconds',
    'How many seconds the longest running worker has been running.',
    (seconds) => Math.max(0, ...seconds),
  )
  return (name, queue) => {
    queues.set(name, { workInProgress: () => queue.workInProgress() })
  }
}
