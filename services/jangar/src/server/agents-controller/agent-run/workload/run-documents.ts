import { RUN_SPEC_PATH } from '../../../../runner/contract/run-spec.ts'
import {
  LOG_PATH,
  type RunnerSpec,
  STATUS_PATH,
  TERMINATION_MESSAGE_PATH,
} from '../../../../runner/contract/runner-spec.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { ResolvedWork } from '../resolution/resolution.ts'
import { shortFacts, type templateContext } from '../resolution/template-context.ts'
import { SYSTEM_PROMPT_PATH } from './system-prompt-path.ts'
import type { WorkOf } from './work-objects.ts'

const EVENT_KEYS = [
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

/** `run.json`: what is to be done. */
export function runDocument(
  work: ResolvedWork,
  { stepOutputs }: Pick<WorkOf, 'stepOutputs'>,
  { agentRun, agent, implementation, parameters, ...context }: ReturnType<typeof templateContext>,
) {
  const { metadata, provider, systemPrompt } = work
  const told = EVENT_KEYS.flatMap((key) =>
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
    ...(systemPrompt && { systemPromptPath: SYSTEM_PROMPT_PATH }),
    ...Object.fromEntries(told),
    metadata: { map: shortFacts(metadata) },
    ...(stepOutputs && { steps: Object.fromEntries(stepOutputs) }),
  }
}

/** `agent-runner.json`: how the runner is to do it. */
export function runnerDocument(
  { provider, settings, timeoutSeconds, runTimeoutSeconds }: ResolvedWork,
  inputs: Readonly<Record<string, string>>,
  secretEnv: readonly string[],
  { runner }: AgentsPorts['config'],
): RunnerSpec {
  return {
    provider: provider.metadata.name,
    inputs,
    payloads: { eventFilePath: RUN_SPEC_PATH },
    artifacts: {
      statusPath: STATUS_PATH,
      logPath: LOG_PATH,
      logRetentionSeconds: settings.logRetentionSeconds ?? Math.floor(runner.logRetentionMs / 1000),
      terminationMessagePath: TERMINATION_MESSAGE_PATH,
    },
    timeouts: { runSeconds: timeoutSeconds || runTimeoutSeconds },
    secretEnv,
  }
}
