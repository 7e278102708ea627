import type { Agent, AgentRun, Memory } from '@agents/jangar-api'
import type { VcsContext } from '../../../../runner/contract/vcs-context.ts'
import type { TemplateContext } from '../../../../templates/template-roots.ts'
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

/** What templates may speak of. What the run does not have is unknown to them. */
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

/** Long texts, which templates find in `implementation` and the runner in members of their own. */
const LONG = ['prompt', 'issueBody']

/** The root `inputs`: what is known under any name, what earlier steps reported, and above all the parameters. */
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
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !LONG.includes(key)))
}

function memoryFacts({ metadata, spec }: Memory) {
  return { name: metadata.name, type: spec.type, connectionRef: spec.connection.secretRef }
}
