import { posix } from 'node:path'
import type { Agent, AgentProvider } from '@agents/jangar-api'
import { skillFile } from '../../../../run-contract/skill.ts'
import type { KeyReference } from '../../../kubernetes/missing-key.ts'

type Skill = NonNullable<Agent['spec']['skills']>[number]

/** The skills that the program of the provider gets. */
export function usedSkills({ spec }: Agent, provider: AgentProvider): readonly Skill[] {
  return usesSkills(provider) ? (spec.skills ?? []) : []
}

/** The ConfigMaps that must exist for them. */
export function skillReferences(agent: Agent, provider: AgentProvider): KeyReference[] {
  return mountedSkills(agent, provider).map(({ configMap }) => ({
    kind: 'ConfigMap',
    name: configMap,
    key: skillFile,
  }))
}

/** Those that come from ConfigMaps. */
export function mountedSkills(
  agent: Agent,
  provider: AgentProvider,
): readonly { readonly name: string; readonly configMap: string }[] {
  return usedSkills(agent, provider).flatMap(({ name, configMapRef }) =>
    configMapRef ? [{ name, configMap: configMapRef.name }] : [],
  )
}

/** Set if the skills of the agent would be ignored. */
export function skillNote({ spec }: Agent, provider: AgentProvider): string | undefined {
  if (spec.skills === undefined || spec.skills.length === 0 || usesSkills(provider))
    return undefined
  return `the agent has no skills: AgentProvider ${provider.metadata.name} has no cli`
}

function usesSkills({ spec: { binary, cli } }: AgentProvider): boolean {
  return cli !== undefined && posix.basename(binary) === 'agent-runner'
}
