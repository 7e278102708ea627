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
  /** In the order in which they are checked. */
  readonly gates: GatesOf<R>
  /** Every condition that a status can have, in the order of `status.conditions`. */
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
          True: 'All gates are True.',
          False: 'A gate is not True; reason and message are those of the first such gate.',
          Unknown: 'Not used: an object whose gates could not be checked is not ready.',
        },
        reasons: readyReasons(plain),
      },
      {
        type: 'Reconciling',
        doc: {
          True: 'A gate is waiting, or its check failed; it is checked again automatically.',
          False: 'Not used: the condition is absent when no gate is waiting.',
          Unknown: 'Not used.',
        },
        reasons: waiting,
      },
      {
        type: 'Stalled',
        doc: {
          True: 'A change by a user is required; the message says which.',
          False: 'Not used: the condition is absent when no user has to act.',
          Unknown: 'Not used.',
        },
        reasons: waiting,
      },
      ...plain,
    ],
  }
}

function readyReasons(gates: readonly GateDeclaration[]): Record<string, string> {
  const ok = { OK: 'All gates are True.' }
  const reasons: Record<string, string> = { ...ok }
  for (const { type, notReady, reasons: own } of gates) {
    if (notReady) reasons[notReady] = `${type} is the first gate that is not True.`
    else Object.assign(reasons, own)
  }
  // The OK of the summary replaces that of a gate, whose sentence is about the one gate only.
  return { ...reasons, ...ok, ...unknownReasons }
}
