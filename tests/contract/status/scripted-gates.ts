import {
  cancelled,
  failed,
  isRun,
  pass,
  type Reconciler,
  type RunGateVerdict,
  stall,
  succeeded,
  wait,
} from '@agents/controller'
import type { GateDeclaration } from '@agents/status'

/** The result of one gate, in place of the real check. The gates before it pass. */
export interface Script {
  /** Index of the gate; for runs, one more than the last is the check of the work. */
  readonly at: number
  readonly finds: 'pass' | 'wait' | 'stall' | 'throw' | 'succeeded' | 'failed' | 'cancelled'
  /** Default: a reason that the gate declares. */
  readonly reason?: string
  readonly message?: string
}

/**
 * Replaces the checks of the gates by the script, so that every path is covered, including those that are hard to
 * provoke.
 */
export function scripted(reconciler: Reconciler, script: () => Script): Reconciler {
  const declared: readonly GateDeclaration[] = reconciler.conditions.gates
  const gates = reconciler.gates.map((gate, index) => ({
    condition: gate.condition,
    check: () => verdict(script(), index, ownReasons(declared[index])),
  }))
  if (!isRun(reconciler)) return { ...reconciler, gates }
  const { progress } = reconciler.conditions
  return {
    ...reconciler,
    gates,
    work: () => {
      const { at, finds, message = '' } = script()
      // All gates have passed: the work is still running.
      if (at < gates.length || finds === 'pass') return wait('Running', message, 60_000)
      return verdict(script(), gates.length, Object.keys(progress))
    },
  }
}

function verdict(
  { at, finds, reason, message = '' }: Script,
  index: number,
  reasons: readonly string[],
): RunGateVerdict {
  const word = reason ?? reasons[0] ?? 'OK'
  if (index < at || finds === 'pass') return pass(reasons[0] ?? 'OK', message)
  switch (finds) {
    case 'wait':
      return wait(word, message, 60_000)
    case 'stall':
      return stall(word, message)
    case 'failed':
      return failed(reason ?? 'Failed', message)
    case 'succeeded':
      return succeeded(message)
    case 'cancelled':
      return cancelled(message)
    default:
      throw new Error('could not find out')
  }
}

export function ownReasons(gate: GateDeclaration | undefined): string[] {
  const shared = ['NotChecked', 'Blocked', 'CheckFailed']
  return Object.keys(gate?.reasons ?? {}).filter((reason) => !shared.includes(reason))
}
