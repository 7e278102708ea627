import { createHash } from 'node:crypto'
import type { Agent } from '@agents/jangar-api'
import { keyMissing } from '../../../kubernetes/dependency.ts'
import { type Found, found, refused } from './problem.ts'
import type { AgentRunSpec, Refused, ResolutionPorts, SystemPrompt } from './resolution.ts'
import { secretProblem } from './secret-policy.ts'

/** In characters, as the schema counts them. */
const longestSystemPrompt = 16_384

type Source = Pick<AgentRunSpec, 'systemPrompt' | 'systemPromptRef'>

/** The run takes precedence over the agent, and a reference over inline text. Blank text is ignored. */
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
    if ([...text].length > longestSystemPrompt) {
      return refused(
        'InvalidSystemPrompt',
        `the system prompt of ${whose} is longer than ${longestSystemPrompt} characters; shorten it`,
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
  ports: ResolutionPorts,
): Refused | undefined {
  if (kind !== 'Secret') return undefined
  const use = { name, purpose: 'which contains the system prompt' }
  return secretProblem(use, agent, ports)
}
