import type { Orchestration } from '@agents/jangar-api'
import { nameOfSignal } from '../../supporting-primitives-controller/signal/name-of-signal.ts'
import type { RawStep } from './graph.ts'

/** The kinds of objects that steps refer to. */
export type ReferredKind =
  | 'Agent'
  | 'ImplementationSpec'
  | 'Tool'
  | 'Orchestration'
  | 'Signal'
  | 'ApprovalPolicy'
  | 'Memory'

interface Reference {
  readonly kind: ReferredKind
  readonly name: string
}

/** The Agent of a step. `with.agentRef` is accepted, as in earlier releases. */
export function nameOfAgent(step: RawStep): string | undefined {
  return step.agentRef?.name || step.with?.agentRef || undefined
}

/** The objects that a step refers to, by its kind: fields of other kinds have no effect. */
export function referencesOf(step: RawStep): readonly Reference[] {
  switch (step.kind) {
    case 'AgentRun': {
      const spec = reference('ImplementationSpec', step.implementationSpecRef?.name)
      return [...reference('Agent', nameOfAgent(step)), ...spec]
    }
    case 'ToolRun':
      return reference('Tool', step.toolRef?.name)
    case 'SubOrchestration':
      return reference('Orchestration', step.orchestrationRef?.name)
    case 'SignalWait':
      return reference('Signal', nameOfSignal(step))
    case 'ApprovalGate':
      return reference('ApprovalPolicy', step.policyRef)
    case 'MemoryOp':
      return reference('Memory', step.memoryRef?.name)
    default:
      return []
  }
}

function reference(kind: ReferredKind, name: string | undefined): Reference[] {
  return name ? [{ kind, name }] : []
}

/** The names of the objects of one kind that an Orchestration refers to, each once. */
export function namesReferred({ spec }: Orchestration, kind: ReferredKind): readonly string[] {
  const references = (spec?.steps ?? []).flatMap(referencesOf)
  return [...new Set(references.filter((one) => one.kind === kind).map(({ name }) => name))]
}
