import type { ConditionStatus } from '@agents/kube'

/** What a condition may say, with the sentences that the documentation is made of. */
export interface ConditionDeclaration<
  Type extends string = string,
  Reason extends string = string,
> {
  readonly type: Type
  /** What each status means. */
  readonly doc: Readonly<Record<ConditionStatus, string>>
  /** The closed list of reasons, each with one sentence. */
  readonly reasons: Readonly<Record<Reason, string>>
}

/** The condition of one gate: one question about an object, asked in its turn. */
export interface GateDeclaration<Type extends string = string, Reason extends string = string>
  extends ConditionDeclaration<Type, Reason> {
  /** Reason of `Ready` while this gate is the first that is False; without it, `Ready` repeats the gate's own. */
  readonly notReady?: string
}

/** A gate as a kind writes it down: the reasons that all gates share come by themselves. */
export interface GateInput {
  readonly type: string
  readonly notReady?: string
  readonly doc: { readonly True: string; readonly False: string; readonly Unknown?: string }
  readonly reasons: Readonly<Record<string, string>>
}

/** Gate type → union of the gate's own reasons. */
export type ReasonsByGate = Readonly<Record<string, string>>

export type ReasonsOf<G extends readonly GateInput[]> = {
  readonly [Gate in G[number] as Gate['type']]: keyof Gate['reasons'] & string
}

export type UnknownReason = keyof typeof unknownReasons

export type GatesOf<R extends ReasonsByGate> = readonly {
  [Type in keyof R & string]: GateDeclaration<Type, R[Type] | UnknownReason>
}[keyof R & string][]

/** Why a gate can be Unknown; the same for every gate of every kind. */
export const unknownReasons = {
  NotChecked: 'It has not been asked yet.',
  Blocked: 'An earlier gate is not True, so this one was not asked.',
  CheckFailed: 'Asking failed; it is tried again by itself.',
} as const

/** Adds what all gates share, and refuses a declaration that could not be kept. */
export function declareGates<const G extends readonly GateInput[]>(
  gates: G,
  reserved: readonly string[],
): GatesOf<ReasonsOf<G>> {
  const taken = new Set(reserved)
  for (const { type, reasons, notReady } of gates) {
    if (taken.has(type)) throw new TypeError(`condition type ${type} is declared twice or reserved`)
    taken.add(type)
    for (const word of [type, ...Object.keys(reasons), ...(notReady ? [notReady] : [])]) {
      if (!camelCase.test(word)) throw new TypeError(`${type}: ${word} is not a CamelCase word`)
    }
  }
  return gates.map((gate) => ({
    ...gate,
    doc: { Unknown: 'It has not been found out; the reason says why.', ...gate.doc },
    reasons: { ...gate.reasons, ...unknownReasons },
  })) as unknown as GatesOf<ReasonsOf<G>>
}

const camelCase = /^[A-Z][A-Za-z0-9]*$/
