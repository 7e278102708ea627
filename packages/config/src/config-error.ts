/** One variable that cannot be used. */
export interface ConfigProblem {
  readonly env: string
  /** The value as written, truncated; never that of a secret. Absent if the variable is not set. */
  readonly value?: string
  readonly expected: string
  /** How to correct it, as a sentence. */
  readonly fix: string
}

/** All problems of a process's environment in one error. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** EX_CONFIG of sysexits.h: a restart does not help. */
  readonly exitCode = 78
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(describe(problems))
    this.problems = problems
  }
}

function describe(problems: readonly ConfigProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  const lines = problems.map(
    ({ env, value, expected, fix }) =>
      `  ${env} is ${value ?? 'not set'}; expected ${expected}.\n    ${fix}`,
  )
  return [`The configuration has ${count}:`, ...lines].join('\n')
}
