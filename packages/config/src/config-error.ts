export interface ConfigProblem {
  readonly env: string
  /** As written, shortened; never a secret's. Absent when the variable is not set. */
  readonly value?: string
  readonly expected: string
  /** What to do about it. */
  readonly fix: string
}

/** Everything that is wrong with the process's environment, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** EX_CONFIG of sysexits.h: restarting will not help. */
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
