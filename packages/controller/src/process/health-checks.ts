import { orAborted } from '../abort/or-aborted.ts'

/** Throws if the process is not healthy. The error is logged; the response only contains the name of the check. */
export type HealthCheck = (signal: AbortSignal) => Promise<void> | void

interface HealthAnswer {
  readonly code: 200 | 404 | 500
  readonly body: string
}

interface HealthQuestion {
  /** `healthz`, `livez` or `readyz`, for the text of the response. */
  readonly endpoint: string
  /** Runs only this check. */
  readonly only?: string | undefined
  readonly verbose?: boolean
  readonly exclude?: readonly string[]
}

/** Runs all checks concurrently and formats the response like the Kubernetes API server. */
export async function askHealth(
  checks: ReadonlyMap<string, HealthCheck>,
  { endpoint, only, verbose = false, exclude = [] }: HealthQuestion,
  signal: AbortSignal,
  onFailure: (name: string, error: unknown) => void,
): Promise<HealthAnswer> {
  if (only !== undefined && !checks.has(only)) return { code: 404, body: '404 page not found\n' }
  const excluded = new Set(exclude)
  const requested = [...checks].filter(([name]) => only === undefined || name === only)
  const results = await Promise.all(
    requested.map(async ([name, check]) => {
      if (excluded.has(name)) return { line: `[+]${name} excluded: ok`, isWell: true }
      try {
        await orAborted(signal, async () => check(signal))
        return { line: `[+]${name} ok`, isWell: true }
      } catch (error) {
        onFailure(name, error)
        return { line: `[-]${name} failed: reason withheld`, isWell: false }
      }
    }),
  )
  const isWell = results.every((result) => result.isWell)
  if (isWell && !verbose) return { code: 200, body: 'ok' }
  const unknown = exclude.filter((name) => !checks.has(name))
  const warnings = unknown.map(
    (name) => `warn: some health checks cannot be excluded: no matches for "${name}"`,
  )
  const verdict = `${endpoint} check ${isWell ? 'passed' : 'failed'}`
  const body = [...results.map(({ line }) => line), ...warnings, verdict, ''].join('\n')
  return { code: isWell ? 200 : 500, body }
}
