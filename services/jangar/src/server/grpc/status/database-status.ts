import { askHealth, type Clock, type HealthCheck } from '@agents/controller'
import type { Logger } from '@agents/log'
import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'

interface DatabaseAnswer {
  readonly configured: boolean
  readonly connected: boolean
  readonly status: ComponentStatus
  readonly message: string
  readonly latencyMs?: number
}

/** Asks the database something. Why it does not answer is for the log alone: it may name hosts and users. */
export async function databaseStatus(
  check: HealthCheck | undefined,
  { log, clock, signal }: { log: Logger; clock: Clock; signal: AbortSignal },
): Promise<DatabaseAnswer> {
  if (check === undefined) {
    const message = 'DATABASE_URL is not set'
    return { configured: false, connected: false, status: ComponentStatus.DISABLED, message }
  }
  const asked = clock.elapsed()
  const { code } = await askHealth(
    new Map([['database', check]]),
    { endpoint: 'status' },
    signal,
    (_name, error) => log.warn('the database does not answer', { error }),
  )
  if (code !== 200) {
    const message = 'it does not answer; the log of the control plane says why'
    return { configured: true, connected: false, status: ComponentStatus.DEGRADED, message }
  }
  const latencyMs = clock.elapsed() - asked
  const message = 'it answers'
  return { configured: true, connected: true, status: ComponentStatus.HEALTHY, message, latencyMs }
}
