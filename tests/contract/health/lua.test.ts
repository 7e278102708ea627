import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { readFixtures } from './fixtures.ts'
import { startLua } from './lua.ts'
import { everyKind, situationsOf } from './situations.ts'

const lua = await startLua()

describe('Argo CD’s fixtures', async () => {
  test.each(await readFixtures())(
    '$style/$inputPath is $healthStatus.status',
    async ({ style, object, healthStatus }) => {
      expect(await lua.ask(style, object)).toEqual(healthStatus)
    },
  )
})

describe('every status that a kind can have', () => {
  test.each(everyKind)('Argo CD evaluates $kind as the contract requires', async (kind) => {
    for (const { style, health, object } of situationsOf(kind)) {
      const { status } = (await lua.ask(style, object)) as { status: string }
      expect({ status, object }).toEqual({ status: health, object })
    }
  })
})

describe('a script', () => {
  const seen = { name: 'x', namespace: 'agents', generation: 1 }
  const object = (conditions: readonly object[]) =>
    ({
      apiVersion: 'v1',
      kind: 'Any',
      metadata: seen,
      status: { observedGeneration: 1, conditions },
    }) as unknown as KubeObject
  const condition = (type: string, status: string) => ({ type, status, reason: type, message: '' })

  test.each([
    {
      because: 'as in kstatus, Reconciling takes precedence over Ready',
      conditions: [condition('Ready', 'True'), condition('Reconciling', 'True')],
      answer: { status: 'Progressing', message: 'Reconciling' },
    },
    {
      because: 'a condition that is False is ignored',
      conditions: [
        condition('Ready', 'True'),
        condition('Stalled', 'False'),
        condition('Reconciling', 'False'),
      ],
      answer: { status: 'Healthy', message: 'Ready' },
    },
    {
      because: 'without conditions the health is Progressing',
      conditions: [],
      answer: { status: 'Progressing', message: '' },
    },
  ])('holds where others wrote the status: $because', async ({ conditions, answer }) => {
    expect(await lua.ask('ready', object(conditions))).toEqual(answer)
  })
})
