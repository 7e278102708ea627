import type { ConditionStatus } from '@agents/kube'

/** A condition type with its reasons, and the sentences that the documentation is generated from. */
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

/** The condition of one gate: a single check of an object. Gates are evaluated in order. */
export interface GateDeclaration<Type extends string = string, Reason extends string = string>
  extends ConditionDeclaration<Type, Reason> {
  /** Reason of `Ready` while this gate is the first that is False. If omitted, `Ready` repeats the gate's reason. */
  readonly notReady?: string
}

/** A gate as a kind declares it. The reasons that all gates share are added by `declareGates`. */
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

type UnknownReason = keyof typeof unknownReasons

export type GatesOf<R extends ReasonsByGate> = readonly {
  [Type in keyof R & string]: GateDeclaration<Type, R[Type] | UnknownReason>
}[keyof R & string][]

/** The reasons for which a gate can be Unknown, the same for every gate of every kind. */
export const unknownReasons = {
  NotChecked: 'It has not been checked yet.',
  Blocked: 'An earlier gate is not True, so this one was not checked.',
  CheckFailed: 'The check failed; it is retried automatically.',
} as const

/** Adds the reasons that all gates share. Throws if a type is declared twice or a name is not in CamelCase. */
export function declareGates<const G extends readonly GateInput[]>(
  gates: G,
  reserved: readonly string[],
): GatesOf<ReasonsOf<G>> {
  const taken = new Set(reserved)
  for (const { type, reasons, notReady } of gates) {
    if (taken.has(type)) throw new TypeError(`condition type ${type} is declared twice or reserved`)
    taken.add(type)
    for (const name of [type, ...Object.keys(reasons), ...(notReady ? [notReady] : [])]) {
      if (!camelCase.test(name)) throw new TypeError(`${type}: ${name} is not in CamelCase`)
    }
  }
  return gates.map((gate) => ({
    ...gate,
    doc: { Unknown: 'It has not been determined; see the reason.', ...gate.doc },
    reasons: { ...gate.reasons, ...unknownReasons },
  })) as unknown as GatesOf<ReasonsOf<G>>
}

const camelCase = /^[A-Z][A-Za-z0-9]*$/
