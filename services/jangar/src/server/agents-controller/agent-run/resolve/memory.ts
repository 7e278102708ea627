import type { Agent, Memory } from '@agents/jangar-api'
import { findNamed, notReady, readyOf } from '../../../kubernetes/dependency.ts'
import { type Found, found } from './problem.ts'
import type { AgentRunSpec, ResolutionPorts } from './resolution.ts'
import { secretProblem } from './secret-policy.ts'

export interface ChosenMemory {
  readonly memory?: Memory
  readonly note?: string
}

/** The Memory of the run, else that of its agent, else the default Memory of the namespace. */
export function resolveMemory(
  spec: AgentRunSpec,
  agent: Agent,
  ports: ResolutionPorts,
): Found<ChosenMemory> {
  const { caches } = ports
  const { namespace } = agent.metadata
  const ref = spec.memoryRef ?? agent.spec.memoryRef
  const forbidden = (memory: Memory) => secretProblem(secretUse(memory), agent, ports)
  if (ref === undefined) return defaultMemory(namespace, caches, forbidden)
  const whose = spec.memoryRef ? 'the run' : `Agent ${agent.metadata.name}`
  const named = findNamed(caches.memories, { namespace, name: ref.name }, whose)
  if (named.kind !== 'found') return named
  const memory = named.value
  return forbidden(memory) ?? notReady('Memory', memory) ?? found({ memory })
}

/**
 * The run does not request the default Memory, so an unready or forbidden one is skipped with a note and does not block
 * the run. A run waits only until the default Memory has been reconciled once.
 */
function defaultMemory(
  namespace: string | undefined,
  { memories }: Pick<ResolutionPorts['caches'], 'memories'>,
  forbidden: (memory: Memory) => { readonly message: string } | undefined,
): Found<ChosenMemory> {
  const [memory] = memories
    .list()
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.default === true)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  if (memory === undefined) return found({})
  const problem = forbidden(memory)
  if (problem) return found({ note: `the default Memory is not used: ${problem.message}` })
  const ready = readyOf(memory)
  if (ready?.status === 'True') return found({ memory })
  const waiting = notReady('Memory', memory)
  if (ready === undefined && waiting !== undefined) return waiting
  return found({ note: `the default Memory is not used: ${waiting?.message ?? 'it is not ready'}` })
}

function secretUse({ metadata, spec }: Memory) {
  return {
    name: spec.connection.secretRef.name,
    purpose: `which contains the connection string of Memory ${metadata.name}`,
  }
}
