import type { RawStep } from './graph.ts'

/** The Agent of a step. `with.agentRef` is accepted, as in earlier releases. */
export function nameOfAgent(step: RawStep): string | undefined {
  return step.agentRef?.name || step.with?.agentRef || undefined
}

/** The Signal of a step, by name or as an object with a name. */
export function nameOfSignal({ signalRef }: RawStep): string | undefined {
  if (typeof signalRef === 'string') return signalRef || undefined
  if (typeof signalRef !== 'object' || signalRef === null || Array.isArray(signalRef))
    return undefined
  return typeof signalRef.name === 'string' && signalRef.name !== '' ? signalRef.name : undefined
}
