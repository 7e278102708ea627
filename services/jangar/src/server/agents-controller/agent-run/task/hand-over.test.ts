import { type Job, KubeError } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { handOver } from './hand-over.ts'

const job = { metadata: { name: 'a-job' } } as Job
const refusal = (code: number, reason: string) => new KubeError('no', { code, reason })

describe('handing a Job over', () => {
  test('tells which Job it was', async () => {
    expect(await handOver(async () => job)).toEqual({ kind: 'submitted', job })
  })

  test.each([
    {
      because: 'an invalid Job stays invalid',
      error: refusal(422, 'Invalid'),
      submission: { kind: 'refused', message: 'no' },
    },
    {
      because: 'a quota may have room later',
      error: refusal(403, 'Forbidden'),
      submission: { kind: 'waiting', message: 'no', trouble: 'SubmitFailed' },
    },
  ])('knows what a refusal means: $because', async ({ error, submission }) => {
    expect(await handOver(() => Promise.reject(error))).toEqual(submission)
  })

  test('leaves everything else to whoever tries again', async () => {
    const error = refusal(500, 'InternalError')
    await expect(handOver(() => Promise.reject(error))).rejects.toBe(error)
  })
})
