import type { Pod } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { createSecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { attemptResults } from './attempt-results.ts'

const secret = 'correct-horse-battery'

/** A report by which a program tries to show the Secret. */
function podWith(report: Readonly<Record<string, unknown>>): Pod {
  const whole = { outcome: 'failed', reason: 'X', message: 'm', exitCode: 1, ...report }
  const terminated = { exitCode: 1, reason: 'Error', message: JSON.stringify(whole) }
  return {
    metadata: { name: 'pod', namespace: 'agents' },
    spec: { containers: [{ name: 'agent' }] },
    status: { containerStatuses: [{ name: 'agent', state: { terminated } }] },
  } as unknown as Pod
}

const attacks = [
  { member: 'reason', report: { reason: secret } },
  { member: 'signal', report: { signal: secret } },
  { member: 'startedAt', report: { startedAt: secret, finishedAt: secret } },
  { member: 'name of an output', report: { outputs: { [secret]: 'x', [`x ${secret}`]: 'y' } } },
  { member: 'output', report: { outputs: { x: secret } } },
]

describe('a Secret in the report of a program', () => {
  test.each(attacks)('is masked in: $member', ({ report }) => {
    const mask = createSecretMask([secret])
    const results = attemptResults(podWith(report), { kind: 'maskable', mask })
    expect(results.report).toMatchObject({ outcome: 'failed', exitCode: 1 })
    expect(JSON.stringify(results)).toContain('***')
    expect(JSON.stringify(results)).not.toContain(secret)
  })

  test.each(attacks)('is not shown if it cannot be masked, in: $member', ({ report }) => {
    const results = attemptResults(podWith(report), { kind: 'hidden', because: 'it is hidden' })
    expect(results).toMatchObject({ exitCode: 1, report: { outcome: 'failed', exitCode: 1 } })
    expect(results.text).toBe('it is hidden')
    expect(JSON.stringify(results)).not.toContain(secret)
  })

  test('is no name of a model, nor beside it', () => {
    const models = [
      { model: secret, inputTokens: 1 },
      { model: 'gpt', inputTokens: 2, [secret]: secret },
    ]
    const pod = podWith({ usage: { inputTokens: 3, models } })
    const mask = createSecretMask([secret])
    const masked = attemptResults(pod, { kind: 'maskable', mask })
    expect(JSON.stringify(masked)).not.toContain(secret)
    expect(masked.report?.usage).toEqual({
      inputTokens: 3,
      models: [{ model: 'gpt', inputTokens: 2 }],
    })
    const hidden = attemptResults(pod, { kind: 'hidden', because: 'it is hidden' })
    expect(hidden.report?.usage).toEqual({ inputTokens: 3 })
  })

  test('does not change the outcome', () => {
    const mask = createSecretMask(['failed', 'ProgramFailed'])
    const results = attemptResults(podWith({ message: 'it failed' }), { kind: 'maskable', mask })
    expect(results.report).toMatchObject({ outcome: 'failed', message: 'it ***' })
  })
})
