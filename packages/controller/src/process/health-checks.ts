import { orAborted } from '../abort/or-aborted.ts'

/** Throws when something is not well. What it throws is for the log; who asks is told only the name. */
export type HealthCheck = (signal: AbortSignal) => Promise<void> | void

export interface HealthAnswer {
  readonly code: 200 | 404 | 500
  readonly body: string
}

export interface HealthQuestion {
  /** `healthz`, `livez` or `readyz`: for the words of the answer. */
  readonly endpoint: string
  /** One check instead of all. */
  readonly only?: string | undefined
  readonly verbose?: boolean
  readonly exclude?: readonly string[]
}

/** Asks all checks at once and words the answer as Kubernetes' own servers do. */
export async function askHealth(
  checks: ReadonlyMap<string, HealthCheck>,
  { endpoint, only, verbose = false, exclude = [] }: HealthQuestion,
  signal: AbortSignal,
  onFailure: (name: string, error: unknown) => void,
): Promise<HealthAnswer> {
  if (only !== undefined && !checks.has(only)) return { code: 404, body: '404 page not found\n' }
  const excluded = new Set(exclude)
  const asked = [...checks].filter(([name]) => only === undefined || name === only)
  const results = await Promise.all(
    asked.map(async ([name, check]) => {
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
