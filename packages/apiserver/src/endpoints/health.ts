import { type PlainHandler, type PlainResponse, textResponse } from './plain-handler.ts'

export interface HealthCheck {
  readonly name: string
  /** The endpoints that include the check. Checks of `readyz` may fail while the server starts or stops. */
  readonly endpoints: readonly ('healthz' | 'livez' | 'readyz')[]
  readonly isHealthy: () => boolean
}

/** Serves `/healthz`, `/livez` and `/readyz` with `?verbose`, `?exclude=` and one path for each check. */
export function createHealthHandler(checks: readonly HealthCheck[]): PlainHandler {
  return ({ path, query }) => {
    const match = /^\/(healthz|livez|readyz)(?:\/(.+?))?\/?$/.exec(path)
    if (match === null) return undefined
    const endpoint = match[1] as 'healthz' | 'livez' | 'readyz'
    const own = checks.filter((check) => check.endpoints.includes(endpoint))
    const name = match[2]
    if (name === undefined) return report(endpoint, own, query)
    const one = own.find((check) => check.name === name)
    if (one === undefined) return textResponse(404, '404 page not found\n')
    return one.isHealthy()
      ? textResponse(200, 'ok')
      : textResponse(500, `internal server error: ${name} check failed\n`)
  }
}

function report(
  endpoint: string,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
): PlainResponse {
  const excluded = new Set(query.getAll('exclude'))
  const lines: string[] = []
  const failed: string[] = []
  for (const { name, isHealthy } of checks) {
    if (excluded.delete(name)) {
      lines.push(`[+]${name} excluded: ok`)
    } else if (isHealthy()) {
      lines.push(`[+]${name} ok`)
    } else {
      failed.push(name)
      lines.push(`[-]${name} failed: reason withheld`)
    }
  }
  for (const name of excluded) {
    lines.push(`warn: some health checks cannot be excluded: no matches for "${name}"`)
  }
  if (failed.length > 0) {
    return textResponse(500, `${lines.join('\n')}\n${endpoint} check failed\n`)
  }
  if (!query.has('verbose')) return textResponse(200, 'ok')
  return textResponse(200, `${lines.join('\n')}\n${endpoint} check passed\n`)
}
