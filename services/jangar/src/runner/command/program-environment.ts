import type { RunSpec } from '../contract/run-spec.ts'
import type { Checkout } from '../vcs/check-out.ts'
import type { Author } from '../vcs/commit-words.ts'

export interface ProgramEnvironmentOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly commandEnv: Readonly<Record<string, string>>
  readonly run: RunSpec
  readonly workspace: string
  readonly runSpecPath: string
  readonly reportPath: string
  readonly systemPromptPath?: string
  readonly checkout?: Checkout
  readonly author: Author
}

/** The container's environment, what the provider adds, and where things are in this run. */
export function programEnvironment(options: ProgramEnvironmentOptions): Record<string, string> {
  const { env, commandEnv, run, workspace, checkout, author, systemPromptPath } = options
  const { repository, baseBranch, headBranch } = checkout ?? {}
  const facts = {
    AGENT_WORKSPACE: workspace,
    AGENT_RUN_SPEC: options.runSpecPath,
    AGENT_REPORT_PATH: options.reportPath,
    AGENT_PROVIDER: run.provider,
    AGENT_SYSTEM_PROMPT_PATH: systemPromptPath,
    CODEX_SYSTEM_PROMPT_PATH: systemPromptPath,
    VCS_REPOSITORY: repository,
    VCS_BASE_BRANCH: baseBranch,
    VCS_HEAD_BRANCH: headBranch?.name,
    ...(checkout !== undefined && {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
    }),
  }
  return defined({ ...withheld(env, run), ...defined(facts), ...commandEnv })
}

/** An agent that may not open pull requests has no use for the token: the runner does the pushing. */
function withheld(
  env: Readonly<Record<string, string | undefined>>,
  { vcs }: RunSpec,
): Record<string, string | undefined> {
  const token = env.VCS_TOKEN
  if (token === undefined || token === '' || vcs?.pullRequestsEnabled === true) return { ...env }
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== token))
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(set)
}
