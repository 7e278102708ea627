import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodeOf } from '../../run-contract/outcome.ts'
import { headBranchOf } from '../../run-contract/repository/head-branch.ts'
import { type RepositoryPlan, repositoryPlanVariable } from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { RunSpec } from '../../run-contract/run-spec.ts'
import {
  parseTerminationMessage,
  type TerminationMessage,
} from '../../run-contract/termination-message.ts'
import { templateContext } from '../command/template-context.ts'
import type { PublisherContext } from '../publisher/reported-program.ts'
import { runCheckout } from '../publisher/run-checkout.ts'
import { runPublish } from '../publisher/run-publish.ts'
import type { Documents, Ran } from './runner-harness.ts'

type Env = Readonly<Record<string, string>>
type Ended = Pick<Ran, 'exitCode' | 'message'>

const credentialNames = [
  'VCS_TOKEN',
  'VCS_USERNAME',
  'VCS_SSH_KEY_PATH',
  'VCS_SSH_KNOWN_HOSTS_PATH',
]

/** The roles of a pod in one process: `checkout`, then the agent and `publish` at the same time. */
export function createRoles(root: string, documents: Documents, path: string) {
  const folder = join(root, 'pod')
  const credentials: Record<string, string> = {}
  const rest: Record<string, string> = {}
  for (const [name, value] of Object.entries(documents.env ?? {})) {
    const to = credentialNames.includes(name) ? credentials : rest
    to[name] = value
  }
  const messageOf = (role: string): TerminationMessage | undefined =>
    parseTerminationMessage(readFileSync(join(folder, `${role}.message`), 'utf8'))
  const roleEnv = (role: string, plan: RepositoryPlan): Env => ({
    PATH: rest.PATH ?? path,
    [repositoryPlanVariable]: JSON.stringify(plan),
    AGENT_REPOSITORY_DIR: join(folder, 'repository'),
    AGENT_PUBLISH_DIR: join(folder, 'publish'),
    AGENT_TERMINATION_MESSAGE_PATH: join(folder, `${role}.message`),
    ...credentials,
  })
  return {
    async run(
      context: Omit<PublisherContext, 'env'>,
      agent: (env: Env) => Promise<number>,
      agentMessage: () => Ran['message'],
    ): Promise<Ended> {
      const run = JSON.parse(readFileSync(join(root, 'workspace', 'run.json'), 'utf8')) as RunSpec
      if (run.vcs === undefined || run.vcs.mode === 'none') {
        return { exitCode: await agent(rest), message: agentMessage() }
      }
      rmSync(folder, { recursive: true, force: true })
      for (const name of ['repository', 'publish'])
        mkdirSync(join(folder, name), { recursive: true })
      const plan = planOf(run, documents.plan)
      if ('failure' in plan) return failed(plan.failure)
      const checkedOut = await runCheckout({ ...context, env: roleEnv('checkout', plan.value) })
      if (checkedOut !== 0) return { exitCode: checkedOut, message: messageOf('checkout') }
      const env = {
        ...rest,
        AGENT_REPOSITORY_DIR: join(folder, 'repository'),
        AGENT_PUBLISH_DIR: join(folder, 'publish'),
      }
      const publishing =
        plan.value.head === undefined
          ? undefined
          : runPublish({ ...context, env: roleEnv('publish', plan.value) })
      const exitCode = await agent(env)
      const published = await publishing
      const own = agentMessage()
      if (published === undefined || own === undefined) return { exitCode, message: own }
      // As the controller does it: only the publisher knows what was pushed.
      const { vcs } = messageOf('publish') ?? {}
      const { vcs: claimed, ...errorText } = own
      const pullRequest = claimed?.pullRequest
      return {
        exitCode: exitCode === 0 ? published : exitCode,
        message: {
          ...errorText,
          ...(vcs && { vcs: { ...vcs, ...(pullRequest && { pullRequest }) } }),
        },
      }
    },
  }
}

function planOf(
  run: RunSpec,
  more: Partial<RepositoryPlan> = {},
): { value: RepositoryPlan } | { failure: RunFailure } {
  const vcs = run.vcs as NonNullable<RunSpec['vcs']>
  const canWrite = vcs.mode === 'read-write' && vcs.writeEnabled !== false
  try {
    const context = templateContext(run, { provider: 'test' })
    const head = canWrite ? headBranchOf(vcs, run.agentRun.name, context) : undefined
    return { value: { agentRun: run.agentRun, vcs, ...(head && { head }), ...more } }
  } catch (error) {
    if (error instanceof RunFailure) return { failure: error }
    throw error
  }
}

function failed({ reason, message }: RunFailure): Ended {
  const exitCode = exitCodeOf(reason)
  return { exitCode, message: { outcome: 'failed', reason, message, exitCode } }
}
