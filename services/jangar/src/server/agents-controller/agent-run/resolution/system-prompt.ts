import { createHash } from 'node:crypto'
import type { Agent } from '@agents/jangar-api'
import { keyMissing } from './dependency.ts'
import { type Found, found, refused } from './problem.ts'
import type { AgentRunSpec, Refused, ResolutionPorts, SystemPrompt } from './resolution.ts'
import { secretProblem } from './secret-policy.ts'

/** In characters, as the schema counts them. */
export const LONGEST_SYSTEM_PROMPT = 16_384

type Source = Pick<AgentRunSpec, 'systemPrompt' | 'systemPromptRef'>

/** The run's word goes before the agent's, and a reference before text. Blank text is no instruction. */
export function resolveSystemPrompt(
  spec: AgentRunSpec,
  agent: Agent,
  ports: ResolutionPorts,
): Found<SystemPrompt | undefined> {
  const sources: readonly (readonly [Source, string])[] = [
    [spec, 'the run'],
    [agent.spec.defaults ?? {}, `Agent ${agent.metadata.name}`],
  ]
  for (const [{ systemPromptRef: ref, systemPrompt: text = '' }, whose] of sources) {
    if (ref !== undefined) {
      return (
        promptSecretProblem(ref, agent, ports) ??
        keyMissing(ports, agent.metadata.namespace, ref, whose) ??
        found({ kind: ref.kind, name: ref.name, key: ref.key })
      )
    }
    if (text.trim() === '') continue
    if ([...text].length > LONGEST_SYSTEM_PROMPT) {
      return refused(
        'InvalidSystemPrompt',
        `the system prompt of ${whose} is longer than ${LONGEST_SYSTEM_PROMPT} characters; shorten it`,
      )
    }
    const hash = createHash('sha256').update(text).digest('hex')
    return found({ kind: 'inline', text, hash })
  }
  return found(undefined)
}

function promptSecretProblem(
  { kind, name }: NonNullable<Source['systemPromptRef']>,
  agent: Agent,
  { config }: ResolutionPorts,
): Refused | undefined {
  if (kind !== 'Secret') return undefined
  const use = { name, purpose: 'which holds the system prompt' }
  return secretProblem(use, agent, config.agents.admission.blockedSecrets)
}
