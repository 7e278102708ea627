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
  const probe = (
    { id, ...words }: { id: string; summary: string; description: string },
    checks: ReadonlyMap<string, HealthCheck>,
  ): Route =>
    publicRoute({
      method: 'GET',
      path: `/${id}`,
      id,
      ...words,
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
    probe(
      {
        id: 'livez',
        summary: 'Whether the process works.',
        description: 'Does not ask the cluster. If it fails, the process should be restarted.',
      },
      live,
    ),
    probe(
      {
        id: 'readyz',
        summary: 'Whether the process can answer requests.',
        description: 'Fails while the process shuts down, and until its caches are filled.',
      },
      ready,
    ),
  ]
}
