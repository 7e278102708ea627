import { join } from 'node:path'
import type { Logger } from '@agents/log'
import {
  gitFolderName,
  parseRepositoryPlan,
  type RepositoryPlan,
  repositoryPlanVariable,
} from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { type Credentials, credentialsOf, secretsOf } from '../vcs/credentials.ts'
import { createGit, type Git } from '../vcs/git.ts'
import { type PublisherEnvironment, publisherEnvironment } from './publisher-environment.ts'
import {
  type Finished,
  type PublisherContext,
  readPlan,
  readSettings,
  runReported,
} from './reported-program.ts'

/** What `checkout` and `publish` work with. */
export interface PublisherParts {
  readonly config: PublisherEnvironment
  readonly plan: RepositoryPlan
  readonly log: Logger
  readonly mask: SecretMask
  /** Values that must not be part of what is pushed. */
  readonly secrets: readonly string[]
  /** Works in the repository that only these programs write to. */
  readonly git: Git
  readonly gitFolder: string
  readonly gitEnv: Readonly<Record<string, string | undefined>>
}

const defaultGitSeconds = 300

/** Runs one of the programs and reports its end through the termination message. Returns the exit code. */
export async function runPublisherProgram(
  name: string,
  context: PublisherContext,
  work: (parts: PublisherParts) => Promise<Finished>,
): Promise<number> {
  const problems: string[] = []
  const config = readSettings(publisherEnvironment, context, problems)
  const plan =
    config && readPlan(repositoryPlanVariable, parseRepositoryPlan(config.plan), problems)
  const secrets = config && plan ? await secretsOf(credentialsOf(config.credential, plan.vcs)) : []
  return runReported(name, context, {
    secrets,
    terminationMessagePath: config?.terminationMessagePath,
    work: async ({ mask, log }) => {
      if (config === undefined || plan === undefined) {
        throw new RunFailure('InvalidSpec', problems.join('\n'))
      }
      return work(partsOf(context, config, plan, secrets, mask, log))
    },
  })
}

function partsOf(
  { env, stop }: PublisherContext,
  config: PublisherEnvironment,
  plan: RepositoryPlan,
  secrets: readonly string[],
  mask: SecretMask,
  log: Logger,
): PublisherParts {
  const credentials: Credentials = credentialsOf(config.credential, plan.vcs, plan.hostKeyPolicy)
  const gitFolder = join(config.repositoryFolder, gitFolderName)
  const git = createGit({
    folder: config.repositoryFolder,
    gitFolder,
    env,
    credentials,
    mask,
    stop,
    timeoutMs: (plan.gitSeconds ?? defaultGitSeconds) * 1000,
  })
  return { config, plan, log, mask, secrets, git, gitFolder, gitEnv: env }
}
