import type { RunSpec } from '../../run-contract/run-spec.ts'
import type { Author } from '../vcs/commit-message.ts'
import type { WorkTree } from '../vcs/work-tree.ts'

interface ProgramEnvironmentOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly commandEnv: Readonly<Record<string, string>>
  readonly run: RunSpec
  readonly workspace: string
  /** The folder that the program is started in. */
  readonly cwd: string
  readonly runSpecPath: string
  readonly reportPath: string
  readonly systemPromptPath?: string
  readonly checkout?: WorkTree
  readonly author: Author
}

/** The container's environment, what the provider adds, and where things are in this run. */
export function programEnvironment(options: ProgramEnvironmentOptions): Record<string, string> {
  const { env, commandEnv, run, workspace, checkout, author, systemPromptPath } = options
  const { repository, baseBranch, head } = checkout ?? {}
  const facts = {
    AGENT_WORKSPACE: workspace,
    AGENT_RUN_SPEC: options.runSpecPath,
    AGENT_REPORT_PATH: options.reportPath,
    AGENT_PROVIDER: run.provider,
    AGENT_SYSTEM_PROMPT_PATH: systemPromptPath,
    CODEX_SYSTEM_PROMPT_PATH: systemPromptPath,
    VCS_REPOSITORY: repository,
    VCS_BASE_BRANCH: baseBranch,
    VCS_HEAD_BRANCH: head?.name,
    ...(checkout !== undefined && {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
    }),
  }
  // Programs such as opencode take the folder to work in from PWD.
  const place = { PWD: options.cwd, OLDPWD: undefined }
  return defined({ ...env, ...defined(facts), ...commandEnv, ...place })
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(set)
}
