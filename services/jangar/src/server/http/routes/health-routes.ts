import { askHealth, type HealthCheck } from '@agents/controller'
import type { Logger } from '@agents/log'
import { publicRoute, type Route } from '../route.ts'

interface HealthPorts {
  /** The checks behind `/readyz`. */
  readonly readiness: Readonly<Record<string, HealthCheck>>
  /** Aborted when the process starts to shut down. */
  readonly stopping: AbortSignal
  readonly log: Logger
}

const longestMs = 5_000
const verbose = { type: 'boolean', description: 'Whether each check is listed.' } as const

/** Probes, which need no token and tell no more than the names of checks. */
export function healthRoutes({ readiness, stopping, log }: HealthPorts): readonly Route[] {
  const ready: ReadonlyMap<string, HealthCheck> = new Map([
    ...Object.entries(readiness),
    ['shutdown', () => stopping.throwIfAborted()],
  ])
  const live: ReadonlyMap<string, HealthCheck> = new Map([['ping', () => undefined]])
  const probe = (id: string, summary: string, checks: ReadonlyMap<string, HealthCheck>): Route =>
    publicRoute({
      method: 'GET',
      path: `/${id}`,
      id,
      summary,
      query: { verbose },
      answers: {
        200: { description: 'Yes.', contentType: 'text/plain', schema: { type: 'string' } },
        500: { description: 'No.', contentType: 'text/plain', schema: { type: 'string' } },
      },
      handle: async ({ query }) => {
        const question = { endpoint: id, verbose: query.verbose === true }
        const { code, body } = await askHealth(
          checks,
          question,
          AbortSignal.timeout(longestMs),
          (check, error) => log.debug('health check failed', { endpoint: id, check, error }),
        )
        return { status: code, text: body }
      },
    })
  return [
    probe('livez', 'Whether the process works.', live),
    probe('readyz', 'Whether the process can answer requests.', ready),
  ]
}
