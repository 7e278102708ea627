import {
  type ConditionDeclaration,
  declareGates,
  type GateDeclaration,
  type GateInput,
  type GatesOf,
  type ReasonsByGate,
  type ReasonsOf,
  unknownReasons,
} from './condition-declaration.ts'

/** The conditions of a kind that lives until it is deleted: `Ready` is the summary of its gates. */
export interface LivingConditions<R extends ReasonsByGate = ReasonsByGate> {
  readonly summary: 'Ready'
  /** In the order in which they are asked. */
  readonly gates: GatesOf<R>
  /** Every condition that a status can hold, in the order in which it holds them. */
  readonly all: readonly ConditionDeclaration[]
}

/** Declares the conditions of a living kind from its gates, in order. */
export function livingConditions<const G extends readonly GateInput[]>(declaration: {
  readonly gates: G
}): LivingConditions<ReasonsOf<G>> {
  const gates = declareGates(declaration.gates, ['Ready', 'Reconciling', 'Stalled'])
  const plain: readonly GateDeclaration[] = gates
  const waiting = Object.assign({}, ...plain.map(({ reasons }) => reasons))
  return {
    summary: 'Ready',
    gates,
    all: [
      {
        type: 'Ready',
        doc: {
          True: 'Every gate is True.',
          False: 'A gate is not True; reason and message speak of the first one.',
          Unknown: 'Not used: what is not known to be ready is not ready.',
        },
        reasons: readyReasons(plain),
      },
      {
        type: 'Reconciling',
        doc: {
          True: 'A gate waits for something, or could not be asked; it is asked again by itself.',
          False: 'Not used: the condition is absent when nothing is awaited.',
          Unknown: 'Not used.',
        },
        reasons: waiting,
      },
      {
        type: 'Stalled',
        doc: {
          True: 'Only a change made by a person helps; the message says which.',
          False: 'Not used: the condition is absent when no person is needed.',
          Unknown: 'Not used.',
        },
        reasons: waiting,
      },
      ...plain,
    ],
  }
}

function readyReasons(gates: readonly GateDeclaration[]): Record<string, string> {
  const ok = { OK: 'Every gate is True.' }
  const reasons: Record<string, string> = { ...ok }
  for (const { type, notReady, reasons: own } of gates) {
    if (notReady) reasons[notReady] = `${type} is the first gate that is not True.`
    else Object.assign(reasons, own)
  }
  // A gate may have an OK of its own, which says less than that of the summary.
  return { ...reasons, ...ok, ...unknownReasons }
}
