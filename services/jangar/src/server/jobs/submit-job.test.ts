import { type Job, KubeError } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { submitJob } from './submit-job.ts'

const job = { metadata: { name: 'a-job' } } as Job

function refusal(code: number, reason: string) {
  return new KubeError('no', { code, reason })
}

describe('submitting a Job', () => {
  test('returns the Job', async () => {
    expect(await submitJob(async () => job)).toEqual({ kind: 'submitted', job })
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
      submission: { kind: 'waiting', message: 'no', problem: 'SubmitFailed' },
    },
  ])('classifies a refusal: $because', async ({ error, submission }) => {
    expect(await submitJob(() => Promise.reject(error))).toEqual(submission)
  })

  test('throws other errors, for the work queue to retry', async () => {
    const error = refusal(500, 'InternalError')
    await expect(submitJob(() => Promise.reject(error))).rejects.toBe(error)
  })
})
