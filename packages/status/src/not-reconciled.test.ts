import { describe, expect, test } from 'vitest'
import { foldRunVerdicts } from './fold-run-verdicts.ts'
import { foldVerdicts } from './fold-verdicts.ts'
import { livingConditions } from './living-conditions.ts'
import { foldNotReconciled } from './not-reconciled.ts'
import { runConditions } from './run-conditions.ts'

const gate = {
  type: 'Validated',
  doc: { True: 'Valid.', False: 'Invalid.' },
  reasons: { Valid: 'Valid.', Invalid: 'Invalid.' },
} as const
const living = livingConditions({ gates: [gate] })
const run = runConditions({ gates: [gate] })
const at = { now: new Date('2026-01-02T03:04:05Z'), generation: 3 }
const later = { now: new Date('2026-02-02T03:04:05Z'), generation: 4 }
const valid = { kind: 'pass', reason: 'Valid', message: '' } as const
const message = 'no controller of this release reconciles this kind'
const summaries = ['Ready', 'Succeeded', 'Stalled', 'Reconciling', 'Finished']

function brief({ conditions }: ReturnType<typeof foldNotReconciled>) {
  return conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`)
}

describe('an object of a kind without a controller', () => {
  test('is not ready and stalled', () => {
    const status = foldNotReconciled(living, undefined, at)
    expect(brief(status)).toEqual([
      'Ready=False/NotReconciled',
      'Stalled=True/NotReconciled',
      'Validated=Unknown/NotChecked',
    ])
    expect(status).toMatchObject({
      observedGeneration: 3,
      conditions: [{ message }, { message }, {}],
    })
  })

  test('has an unknown outcome if it is a run, and is neither stalled nor in progress', () => {
    const status = foldNotReconciled(run, undefined, at)
    expect(brief(status)).toEqual([
      'Succeeded=Unknown/NotReconciled',
      'Finished=False/Pending',
      'Ready=Unknown/NotReconciled',
      'Validated=Unknown/NotChecked',
    ])
  })

  test('keeps the times of its transitions, and follows its generation', () => {
    const first = foldNotReconciled(living, undefined, at)
    const second = foldNotReconciled(living, first, later)
    expect(second.observedGeneration).toBe(4)
    const times = (status: typeof first) => status.conditions.map((one) => one.lastTransitionTime)
    expect(times(second)).toEqual(times(first))
  })

  test('does not keep what a controller of another release reported', () => {
    const ready = foldVerdicts(living, [valid], undefined, at)
    expect(brief(foldNotReconciled(living, ready, later))).toEqual(
      brief(foldNotReconciled(living, undefined, later)),
    )
  })

  test('loses the condition when its controller reconciles it', () => {
    const status = foldVerdicts(living, [valid], foldNotReconciled(living, undefined, at), later)
    expect(brief(status)).toEqual(['Ready=True/OK', 'Validated=True/Valid'])
    const wait = { kind: 'wait', reason: 'Running', message: '' } as const
    const running = foldRunVerdicts(
      run,
      [valid, wait],
      foldNotReconciled(run, undefined, at),
      later,
    )
    expect(brief(running).filter((one) => summaries.includes(one.split('=')[0] ?? ''))).toEqual([
      'Succeeded=Unknown/Running',
      'Finished=False/Running',
      'Ready=Unknown/Running',
      'Reconciling=True/Running',
    ])
  })
})
