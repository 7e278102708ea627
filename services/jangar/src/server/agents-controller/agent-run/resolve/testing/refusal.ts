import type { AgentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { resolveWork } from '../resolve-work.ts'
import { portsWith, runOf } from './resolution-fixture.ts'

/** A run that is refused, and a pattern that the message matches. */
export interface Refusal {
  readonly because: string
  readonly run?: AgentRun
  readonly there?: readonly KubeObject[]
  readonly env?: Record<string, string>
  readonly says: RegExp
}

/** Defines a test for each refusal, grouped by reason. */
export function testRefusals(byReason: Readonly<Record<string, readonly Refusal[]>>): void {
  const all = Object.entries(byReason).flatMap(([reason, each]) =>
    each.map((row) => ({ reason, ...row })),
  )
  test.each(all)('$reason: $because', ({ reason, run = runOf(), there = [], env, says }) => {
    const resolution = resolveWork(run, undefined, portsWith([...there, run], env))
    expect(resolution).toMatchObject({
      kind: 'refused',
      reason,
      message: expect.stringMatching(says),
    })
  })
}
