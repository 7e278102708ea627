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

/** The conditions of a kind that runs once and ends: `Succeeded` is the summary, `Finished` the last question. */
export interface RunConditions<
  R extends ReasonsByGate = ReasonsByGate,
  Progress extends string = string,
  Failure extends string = string,
> {
  readonly summary: 'Succeeded'
  /** In the order in which they are asked; when all are True the work has started. */
  readonly gates: GatesOf<R>
  /** Reasons of `Finished=False` while the work goes on. */
  readonly progress: Readonly<Record<Progress | 'Running', string>>
  /** Reasons with which the work itself can fail. */
  readonly failures: Readonly<Record<Failure | 'Failed', string>>
  /** Every condition that a status can hold, in the order in which it holds them. */
  readonly all: readonly ConditionDeclaration[]
}

/**
 * Declares the conditions of a run kind from its gates, in order. `Finished` is no gate of the list: every run has it.
 * `progress` and `failures` add to what every run can say: Running; Succeeded, Failed, Cancelled.
 */
export function runConditions<
  const G extends readonly GateInput[],
  const P extends Readonly<Record<string, string>> = Record<never, string>,
  const F extends Readonly<Record<string, string>> = Record<never, string>,
>(declaration: {
  readonly gates: G
  readonly progress?: P
  readonly failures?: F
}): RunConditions<ReasonsOf<G>, keyof P & string, keyof F & string> {
  const gates = declareGates(declaration.gates, reserved)
  const progress = { Running: 'Its work is going on.', ...declaration.progress } as Readonly<
    Record<(keyof P & string) | 'Running', string>
  >
  const failures = { Failed: 'It has failed.', ...declaration.failures } as Readonly<
    Record<(keyof F & string) | 'Failed', string>
  >
  return {
    summary: 'Succeeded',
    gates,
    progress,
    failures,
    all: describeRun(gates, progress, failures),
  }
}

const reserved = ['Succeeded', 'Finished', 'Ready', 'Reconciling', 'Stalled']

function describeRun(
  gates: readonly GateDeclaration[],
  progress: Readonly<Record<string, string>>,
  failures: Readonly<Record<string, string>>,
): ConditionDeclaration[] {
  const pending: Record<string, string> = Object.assign({}, ...gates.map(({ reasons }) => reasons))
  const unfinished = { ...pending, ...progress, ...unknownReasons }
  const unsuccessful = { ...pending, ...failures, Cancelled: cancelled }
  const outcome = { Succeeded: succeeded, ...failures, Cancelled: cancelled }
  return [
    {
      type: 'Succeeded',
      doc: {
        True: 'It has finished with success.',
        False: 'It has finished without success: failed or cancelled.',
        Unknown: 'It has not finished; the reason says what it waits for.',
      },
      reasons: { ...unfinished, ...unsuccessful, ...outcome },
    },
    {
      type: 'Finished',
      doc: {
        True: 'It is over, whatever the outcome; nothing about it changes any more.',
        False: 'It is not over: it waits for a gate, or its work is going on.',
        Unknown: 'Whether it is over could not be found out; it is tried again by itself.',
      },
      reasons: {
        Pending: 'Its work has not started.',
        ...progress,
        ...outcome,
        CheckFailed: unknownReasons.CheckFailed,
      },
    },
    {
      type: 'Ready',
      doc: {
        True: 'As Succeeded; for tools that know only Ready.',
        False: 'As Succeeded; for tools that know only Ready.',
        Unknown: 'As Succeeded; for tools that know only Ready.',
      },
      reasons: { ...unfinished, ...unsuccessful, ...outcome },
    },
    {
      type: 'Reconciling',
      doc: {
        True: 'It is pending or running.',
        False: 'Not used: the condition is absent when the run is over.',
        Unknown: 'Not used.',
      },
      reasons: unfinished,
    },
    {
      type: 'Stalled',
      doc: {
        True: 'It has failed or was cancelled, and will not be tried again.',
        False: 'Not used: the condition is absent unless the run failed or was cancelled.',
        Unknown: 'Not used.',
      },
      reasons: unsuccessful,
    },
    ...gates,
  ]
}

const succeeded = 'It has finished with success.'
const cancelled = 'It was stopped on request.'
