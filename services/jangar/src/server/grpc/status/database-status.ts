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

/** Checks the connection to the database. Errors are only logged, since they may contain names of hosts and users. */
export async function databaseStatus(
  check: HealthCheck | undefined,
  { log, clock, signal }: { log: Logger; clock: Clock; signal: AbortSignal },
): Promise<DatabaseAnswer> {
  if (check === undefined) {
    const message = 'DATABASE_URL is not set'
    return { configured: false, connected: false, status: ComponentStatus.DISABLED, message }
  }
  const startedAt = clock.elapsed()
  const { code } = await askHealth(
    new Map([['database', check]]),
    { endpoint: 'status' },
    signal,
    (_name, error) => log.warn('database not reachable', { error }),
  )
  if (code !== 200) {
    const message = 'not reachable; the log of the control plane contains the reason'
    return { configured: true, connected: false, status: ComponentStatus.DEGRADED, message }
  }
  const latencyMs = clock.elapsed() - startedAt
  const message = 'reachable'
  return { configured: true, connected: true, status: ComponentStatus.HEALTHY, message, latencyMs }
}
