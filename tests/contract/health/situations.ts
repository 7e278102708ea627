import type { AnyKind } from '@agents/crd'
import {
  conditionsByKind as gitTargetConditions,
  kinds as gitTargetKinds,
} from '@agents/gittarget-api'
import { conditionsByKind as agentsConditions, kinds as agentsKinds } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import {
  foldNotReconciled,
  foldRunVerdicts,
  foldVerdicts,
  type LivingConditions,
  type RunConditions,
  type RunVerdict,
  type Verdict,
} from '@agents/status'
import type { Health, Style } from './fixtures.ts'

export const everyKind: readonly AnyKind[] = [...agentsKinds, ...gitTargetKinds]

const conditionsByKind = { ...agentsConditions, ...gitTargetConditions }

interface Situation {
  readonly style: Style
  readonly health: Health
  readonly object: KubeObject
}

/** Every status that an object of the kind can have, with the expected health. */
export function situationsOf(kind: AnyKind): Situation[] {
  const declared = conditionsByKind[kind.kind]
  if (declared === undefined) throw new Error(`${kind.kind} declares no conditions`)
  const style: Style = declared.summary === 'Ready' ? 'ready' : 'run'
  return statusesOf(declared).map(({ health, status }) => ({
    style,
    health,
    object: objectOf(kind, status),
  }))
}

function objectOf(kind: AnyKind, status: unknown): KubeObject {
  return {
    apiVersion: `${kind.group}/v1alpha1`,
    kind: kind.kind,
    metadata: { name: 'x', namespace: 'agents', generation: 3 },
    spec: {},
    status,
  } as KubeObject
}

const at = { now: new Date('2026-01-02T03:04:05Z'), generation: 3 }

interface ExpectedStatus {
  readonly health: Health
  readonly status: unknown
}

/** Statuses in which each gate fails in each way, and for runs each outcome. */
function statusesOf(declared: LivingConditions | RunConditions): ExpectedStatus[] {
  const passing = declared.gates.map((gate) => {
    const [reason = ''] = Object.keys(gate.reasons)
    return { kind: 'pass', reason, message: 'Well.' } as const
  })
  const isLiving = declared.summary === 'Ready'
  const fold = (verdicts: readonly (Verdict | RunVerdict)[]): unknown =>
    isLiving
      ? foldVerdicts(declared as LivingConditions, verdicts as Verdict[], undefined, at)
      : foldRunVerdicts(declared as RunConditions, verdicts as never, undefined, at)
  const blocked = declared.gates.flatMap((gate, index): ExpectedStatus[] => {
    const [, reason = ''] = Object.keys(gate.reasons)
    const before = passing.slice(0, index)
    const waiting = fold([...before, { kind: 'wait', reason, message: 'Not yet.' }])
    const stalled = fold([...before, { kind: 'stall', reason, message: 'Never.' }])
    return [
      { health: 'Progressing', status: waiting },
      { health: isLiving ? 'Degraded' : 'Progressing', status: stalled },
      { health: 'Progressing', status: fold([...before, { kind: 'threw', message: 'Lost.' }]) },
    ]
  })
  const unreconciled: ExpectedStatus = {
    health: isLiving ? 'Degraded' : 'Progressing',
    status: foldNotReconciled(declared, undefined, at),
  }
  if (isLiving) return [...blocked, unreconciled, { health: 'Healthy', status: fold(passing) }]
  const ends: [Health, RunVerdict][] = [
    ['Progressing', { kind: 'wait', reason: 'Running', message: 'It runs.' }],
    ['Healthy', { kind: 'succeeded', message: 'Done.' }],
    ['Degraded', { kind: 'failed', reason: 'Failed', message: 'It broke.' }],
    ['Degraded', { kind: 'cancelled', message: 'Stopped.' }],
  ]
  return [
    ...blocked,
    unreconciled,
    ...ends.map(([health, end]) => ({ health, status: fold([...passing, end]) })),
  ]
}
