import type { Job } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { AttemptJobs } from './attempt-jobs.ts'
import { clearJobs } from './clear-jobs.ts'
import { isBeingDeleted, jobOutcome } from './job-outcome.ts'

const finishedAt = '2026-03-01T12:00:00Z'

function seconds(count: number) {
  return new Date(Date.parse(finishedAt) + count * 1000)
}

function job(name: string, state: 'active' | 'finished' | 'deleting'): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...(state === 'deleting' && { deletionTimestamp: finishedAt }) },
    spec: {
      template: { spec: { containers: [] } },
    },
    ...(state !== 'active' && { status: { conditions: [{ type: 'Complete', status: 'True' }] } }),
  }
}

async function clear(all: Job[], now: Date, ttlMs = 600_000) {
  const stopped: string[] = []
  const jobs: Pick<AttemptJobs, 'of' | 'unfinished' | 'stop'> = {
    of: () => all,
    unfinished: () => all.filter((one) => isBeingDeleted(one) || !jobOutcome(one)),
    stop: async (one) => {
      if (!isBeingDeleted(one)) stopped.push(one.metadata.name)
    },
  }
  const run = { apiVersion: 'v1', kind: 'Run', metadata: { name: 'a' }, status: { finishedAt } }
  const { signal } = new AbortController()
  const result = await clearJobs(jobs, () => ttlMs).run(run, { now, signal })
  return { stopped, waitsMs: result.kind === 'wait' ? result.retryAfterMs : undefined }
}

describe('the Jobs of a finished run', () => {
  test.each([
    {
      because: 'are kept for their time to live, and the run is requeued then',
      jobs: [job('a', 'finished')],
      now: seconds(10),
      stopped: [],
      waitsMs: 590_000,
    },
    {
      because: 'are deleted when it has passed',
      jobs: [job('a', 'finished'), job('b', 'finished')],
      now: seconds(600),
      stopped: ['a', 'b'],
      waitsMs: undefined,
    },
    {
      because: 'are stopped at once if they are active, and the others are kept',
      jobs: [job('a', 'active'), job('b', 'finished')],
      now: seconds(1),
      stopped: ['a'],
      waitsMs: 599_000,
    },
    {
      because: 'are not waited for once they are being deleted',
      jobs: [job('a', 'deleting')],
      now: seconds(1),
      stopped: [],
      waitsMs: undefined,
    },
    {
      because: 'are kept permanently if the time to live is 0',
      jobs: [job('a', 'finished')],
      now: seconds(10_000),
      ttlMs: 0,
      stopped: [],
      waitsMs: undefined,
    },
  ])('$because', async ({ jobs, now, ttlMs, stopped, waitsMs }) => {
    expect(await clear(jobs, now, ttlMs)).toEqual({ stopped, waitsMs })
  })
})
