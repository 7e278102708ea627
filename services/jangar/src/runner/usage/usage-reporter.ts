import { isDeepStrictEqual } from 'node:util'
import type { Logger } from '@agents/log'
import type { Usage } from '../../run-contract/usage.ts'
import { usageIntervalSeconds, usagePath } from '../../run-contract/usage-report.ts'
import { askControlPlane, type ControlPlane, isTemporary } from '../upload/control-plane.ts'

interface ReporterOptions {
  readonly target: ControlPlane
  /** What the attempt has used so far. Undefined if nothing is known yet. */
  readonly sample: () => Promise<Usage | undefined>
  readonly log: Logger
  /** Before the first report, and between two. If omitted, as the control plane accepts them. */
  readonly intervalMs?: number
  /** The longest that one report may take. */
  readonly requestMs?: number
  /** Resolves after the time, or when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

const longestRequestMs = 8000
const longestPauseSeconds = 600

/**
 * Reports what the program uses while it works, and only what has changed; a run that is shorter than the interval
 * reports nothing. Each report is a total, so a lost one is made up for by the next. Returns how to end it.
 */
export function startUsageReporter(options: ReporterOptions): () => Promise<void> {
  const { target, sample, log, intervalMs = usageIntervalSeconds * 1000 } = options
  const { requestMs = longestRequestMs, pause = sleep } = options
  const end = new AbortController()
  let last: Usage | undefined
  let knowsModels = true
  /** When to report again, in milliseconds; undefined if never. */
  const report = async (): Promise<number | undefined> => {
    const begun = performance.now()
    const sampled = await sample()
    const usage = knowsModels ? sampled : withoutModels(sampled)
    // Logs of long conversations take time to read, which the program has a use for.
    const shortestMs = Math.max(intervalMs, (performance.now() - begun) * 20)
    if (usage === undefined || isDeepStrictEqual(usage, last) || end.signal.aborted)
      return shortestMs
    const body = JSON.stringify(usage)
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(requestMs)])
    const { status, body: answer } = await askControlPlane(target, {
      method: 'POST',
      path: usagePath,
      contentType: 'application/json',
      sizeBytes: Buffer.byteLength(body),
      signal,
      send: (request) => void request.end(body),
    })
    if (status === 200) {
      last = usage
      const { reportAfterSeconds: seconds } = answer
      const isPause = typeof seconds === 'number' && seconds > 0 && seconds <= longestPauseSeconds
      return isPause
        ? Math.max(shortestMs, (seconds / usageIntervalSeconds) * intervalMs)
        : shortestMs
    }
    // A control plane of an earlier version refuses members that it does not know.
    if (status === 400 && usage.models !== undefined) {
      knowsModels = false
      return shortestMs
    }
    // The controllers may not have recorded the start yet.
    if (isTemporary(status) || status === 409) return shortestMs
    // A control plane of an earlier version does not know the path.
    if (status !== 404)
      log.warn('usage not reported', { status, reason: String(answer.error).slice(0, 200) })
    return undefined
  }
  const work = async (): Promise<void> => {
    let pauseMs: number | undefined = intervalMs
    while (pauseMs !== undefined) {
      await pause(pauseMs, end.signal)
      if (end.signal.aborted) return
      pauseMs = await report().catch(() => intervalMs)
    }
  }
  const working = work()
  return async () => {
    end.abort()
    await working
  }
}

function withoutModels(usage: Usage | undefined): Usage | undefined {
  const { models: _, ...rest } = usage ?? {}
  return usage && rest
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
  })
}
