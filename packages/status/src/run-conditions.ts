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

/** The conditions of a kind that runs once: `Succeeded` is the summary, `Finished` is checked after all gates. */
export interface RunConditions<
  R extends ReasonsByGate = ReasonsByGate,
  Progress extends string = string,
  Failure extends string = string,
> {
  readonly summary: 'Succeeded'
  /** In the order in which they are checked; when all are True the work has started. */
  readonly gates: GatesOf<R>
  /** Reasons of `Finished=False` while the work is in progress. */
  readonly progress: Readonly<Record<Progress | 'Running', string>>
  /** Reasons with which the work can succeed. */
  readonly successes: Readonly<Record<string, string>>
  /** Reasons with which the work itself can fail. */
  readonly failures: Readonly<Record<Failure | 'Failed', string>>
  /** Every condition that a status can have, in the order of `status.conditions`. */
  readonly all: readonly ConditionDeclaration[]
}

/**
 * Declares the conditions of a run kind from its gates, in order. `Finished` is not declared as a gate: every run has
 * it. `progress`, `successes` and `failures` add reasons to those of every run (Running; Succeeded; Failed, Cancelled).
 */
export function runConditions<
  const G extends readonly GateInput[],
  const P extends Readonly<Record<string, string>> = Record<never, string>,
  const F extends Readonly<Record<string, string>> = Record<never, string>,
>(declaration: {
  readonly gates: G
  readonly progress?: P
  readonly successes?: Readonly<Record<string, string>>
  readonly failures?: F
}): RunConditions<ReasonsOf<G>, keyof P & string, keyof F & string> {
  const gates = declareGates(declaration.gates, reserved)
  const progress = { Running: 'The work is in progress.', ...declaration.progress } as Readonly<
    Record<(keyof P & string) | 'Running', string>
  >
  const failures = { Failed: 'The run failed.', ...declaration.failures } as Readonly<
    Record<(keyof F & string) | 'Failed', string>
  >
  const successes = { Succeeded: succeeded, ...declaration.successes }
  return {
    summary: 'Succeeded',
    gates,
    progress,
    successes,
    failures,
    all: describeRun(gates, progress, successes, failures),
  }
}

const reserved = ['Succeeded', 'Finished', 'Ready', 'Reconciling', 'Stalled']

function describeRun(
  gates: readonly GateDeclaration[],
  progress: Readonly<Record<string, string>>,
  successes: Readonly<Record<string, string>>,
  failures: Readonly<Record<string, string>>,
): ConditionDeclaration[] {
  const pending: Record<string, string> = Object.assign({}, ...gates.map(({ reasons }) => reasons))
  const unfinished = { ...pending, ...progress, ...unknownReasons }
  const unsuccessful = { ...pending, ...failures, Cancelled: cancelled }
  const outcome = { ...successes, ...failures, Cancelled: cancelled }
  return [
    {
      type: 'Succeeded',
      doc: {
        True: 'The run finished successfully.',
        False: 'The run failed or was cancelled.',
        Unknown: 'The run has not finished; see the reason.',
      },
      reasons: { ...unfinished, ...unsuccessful, ...outcome },
    },
    {
      type: 'Finished',
      doc: {
        True: 'The run has finished, with any outcome; its status does not change any more.',
        False: 'The run is waiting for a gate, or its work is in progress.',
        Unknown:
          'Whether the run has finished could not be checked; the check is retried automatically.',
      },
      reasons: {
        Pending: 'The work has not started.',
        ...progress,
        ...outcome,
        CheckFailed: unknownReasons.CheckFailed,
      },
    },
    {
      type: 'Ready',
      doc: {
        True: 'Same as Succeeded, for tools that only read Ready.',
        False: 'Same as Succeeded, for tools that only read Ready.',
        Unknown: 'Same as Succeeded, for tools that only read Ready.',
      },
      reasons: { ...unfinished, ...unsuccessful, ...outcome },
    },
    {
      type: 'Reconciling',
      doc: {
        True: 'The run is pending or running.',
        False: 'Not used: the condition is absent when the run has finished.',
        Unknown: 'Not used.',
      },
      reasons: unfinished,
    },
    {
      type: 'Stalled',
      doc: {
        True: 'The run failed or was cancelled and will not be retried.',
        False: 'Not used: the condition is absent unless the run failed or was cancelled.',
        Unknown: 'Not used.',
      },
      reasons: unsuccessful,
    },
    ...gates,
  ]
}

const succeeded = 'The run finished successfully.'
const cancelled = 'The run was stopped on request.'
