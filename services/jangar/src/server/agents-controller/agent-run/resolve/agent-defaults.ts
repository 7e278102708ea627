import type { Agent, AgentRun } from '@agents/jangar-api'
import type { SecretVariable, WorkflowStep, Workload } from './resolution.ts'

export type AgentDefaults = NonNullable<Agent['spec']['defaults']>

interface MergedSettings {
  readonly parameters: Readonly<Record<string, string>>
  readonly workload: Workload
  readonly runtimeConfig: Readonly<Record<string, unknown>>
}

/** The settings of a run and its step, over the defaults of the agent. */
export function mergeSettings(
  { parameters, model, image, resources, runtime }: AgentDefaults,
  spec: AgentRun['spec'],
  step: WorkflowStep | undefined,
): MergedSettings {
  const own = step?.workload ?? spec.workload
  return {
    parameters: {
      ...parameters,
      ...(model !== undefined && { model }),
      ...spec.parameters,
      ...step?.parameters,
    },
    workload: {
      ...(resources && { resources }),
      ...own,
      ...(!own?.image && image !== undefined && { image }),
    },
    runtimeConfig: { ...runtime, ...spec.runtime.config },
  }
}

/** Names of the Secrets whose keys are variables. Later ones take precedence, so those of the run come last. */
export function wholeSecrets(
  { secrets = [] }: AgentDefaults,
  { secrets: own = [] }: AgentRun['spec'],
): readonly string[] {
  const defaults = secrets.filter(({ keys }) => keys === undefined).map(({ name }) => name)
  return [...new Set([...defaults.filter((name) => !own.includes(name)), ...own])]
}

/** Single keys of Secrets as variables, without those that a Secret of the run sets. */
export function secretVariablesOf(
  { secrets = [] }: AgentDefaults,
  ownKeys: readonly string[],
): readonly SecretVariable[] {
  return secrets.flatMap(({ name: secret, keys = [] }) =>
    keys
      .filter(({ variable }) => !ownKeys.includes(variable))
      .map(({ key, variable }) => ({ variable, secret, key })),
  )
}
