import { podPaths } from '../../../../run-contract/pod-paths.ts'
import type { RunnerSpec } from '../../../../run-contract/runner-spec.ts'
import type { AgentsPorts } from '../../ports.ts'
import { runnerMcpServers } from '../resolve/mcp-servers.ts'
import type { ResolvedWork } from '../resolve/resolution.ts'
import { shortFacts, type templateContext } from '../resolve/template-context.ts'
import { systemPromptPath } from './system-prompt-path.ts'
import type { WorkOf } from './work-objects.ts'

const eventKeys = [
  'prompt',
  'repository',
  'issueNumber',
  'issueTitle',
  'issueBody',
  'issueUrl',
  'base',
  'head',
  'stage',
] as const

/** `run.json`: the work to do. */
export function runDocument(
  work: ResolvedWork,
  { stepOutputs }: Pick<WorkOf, 'stepOutputs'>,
  { agentRun, agent, implementation, parameters, ...context }: ReturnType<typeof templateContext>,
) {
  const { metadata, provider, systemPrompt } = work
  const told = eventKeys.flatMap((key) =>
    metadata[key] === undefined ? [] : [[key, metadata[key]] as const],
  )
  return {
    provider: provider.metadata.name,
    agentRun,
    agent,
    implementation,
    parameters,
    ...(context.memory && { memory: context.memory }),
    artifacts: provider.spec.outputArtifacts ?? [],
    ...(context.vcs && { vcs: context.vcs }),
    ...(systemPrompt?.kind === 'inline' && { systemPrompt: systemPrompt.text }),
    ...(systemPrompt && { systemPromptPath: systemPromptPath }),
    ...Object.fromEntries(told),
    metadata: { map: shortFacts(metadata) },
    ...(stepOutputs && { steps: Object.fromEntries(stepOutputs) }),
  }
}

/** `agent-runner.json`: the settings of the runner. */
export function runnerDocument(
  { agent, provider, settings, timeoutSeconds, runTimeoutSeconds }: ResolvedWork,
  inputs: Readonly<Record<string, string>>,
  secretEnv: readonly string[],
  { runner }: AgentsPorts['config'],
): RunnerSpec {
  return {
    provider: provider.metadata.name,
    ...(provider.spec.cli && { cli: provider.spec.cli.name }),
    ...(agent.spec.skills && {
      skills: agent.spec.skills.map(({ name, git }) => ({ name, ...(git && { isFetched: true }) })),
    }),
    ...(agent.spec.mcpServers && { mcpServers: runnerMcpServers(agent.spec.mcpServers) }),
    inputs,
    payloads: { eventFilePath: podPaths.runSpec },
    artifacts: {
      statusPath: podPaths.status,
      logPath: podPaths.log,
      logRetentionSeconds: settings.logRetentionSeconds ?? Math.floor(runner.logRetentionMs / 1000),
      terminationMessagePath: podPaths.terminationMessage,
    },
    timeouts: { runSeconds: timeoutSeconds || runTimeoutSeconds },
    secretEnv,
  }
}
