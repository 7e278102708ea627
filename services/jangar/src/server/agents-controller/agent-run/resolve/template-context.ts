import type { Agent, AgentRun, Memory } from '@agents/jangar-api'
import type { TemplateContext } from '../../../../run-contract/templates/template-roots.ts'
import type { VcsContext } from '../../../../run-contract/vcs-context.ts'
import type { Implementation } from './resolution.ts'

export interface TemplateFacts {
  readonly run: AgentRun
  readonly agent: Agent
  readonly implementation: Implementation
  readonly parameters: Readonly<Record<string, string>>
  readonly inputs: Readonly<Record<string, string>>
  readonly memory?: Memory | undefined
  readonly vcs?: VcsContext | undefined
}

/** The values that templates may refer to. A root is absent if the run has no value for it. */
export function templateContext(facts: TemplateFacts) {
  const { run, agent, implementation, parameters, inputs, memory, vcs } = facts
  const { name, uid, namespace } = run.metadata
  const { config, env } = agent.spec
  return {
    agentRun: { name, namespace: namespace ?? '', ...(uid !== undefined && { uid }) },
    agent: { name: agent.metadata.name, ...(config && { config }), ...(env && { env }) },
    implementation,
    parameters,
    inputs,
    ...(memory && { memory: memoryFacts(memory) }),
    ...(vcs && { vcs }),
  } satisfies TemplateContext
}

/** Long texts. Templates read them from `implementation`, and the runner from separate fields. */
const long = ['prompt', 'issueBody']

/** The root `inputs`: metadata, overridden by outputs of earlier steps, overridden by parameters. */
export function inputsOf(
  metadata: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>>,
  reported: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return { ...shortFacts(metadata), ...reported, ...parameters }
}

export function shortFacts(
  metadata: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !long.includes(key)))
}

function memoryFacts({ metadata, spec }: Memory) {
  return { name: metadata.name, type: spec.type, connectionRef: spec.connection.secretRef }
}
