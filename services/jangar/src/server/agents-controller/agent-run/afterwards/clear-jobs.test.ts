import type { AgentRun } from '@agents/jangar-api'
import type { Job } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { RunJobs } from '../run-jobs.ts'
import { isBeingDeleted, jobOutcome } from '../task/job-outcome.ts'
import { clearJobs } from './clear-jobs.ts'

const finishedAt = '2026-03-01T12:00:00Z'
const seconds = (count: number) => new Date(Date.parse(finishedAt) + count * 1000)

const job = (name: string, state: 'working' | 'over' | 'going'): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, ...(state === 'going' && { deletionTimestamp: finishedAt }) },
  spec: {
    template: { spec: { containers: [] } },
  },
  ...(state !== 'working' && { status: { conditions: [{ type: 'Complete', status: 'True' }] } }),
})

const look = async (all: Job[], now: Date, { defaultMs = 600_000, ownSeconds = -1 } = {}) => {
  const stopped: string[] = []
  const jobs: Pick<RunJobs, 'of' | 'unfinished' | 'stop'> = {
    of: () => all,
    unfinished: () => all.filter((one) => isBeingDeleted(one) || !jobOutcome(one)),
    stop: async (one) => {
      if (!isBeingDeleted(one)) stopped.push(one.metadata.name)
    },
  }
  const runtimeRef = { type: 'job', ...(ownSeconds >= 0 && { jobTtlSeconds: ownSeconds }) }
  const run = { metadata: { name: 'a' }, status: { finishedAt, runtimeRef } } as unknown as AgentRun
  const { signal } = new AbortController()
  const result = await clearJobs(jobs, defaultMs).run(run, { now, signal })
  return { stopped, waitsMs: result.kind === 'wait' ? result.retryAfterMs : undefined }
}

describe('the Jobs of a run that has ended', () => {
  test.each([
    {
      because: 'are kept for their time, and then it is looked again',
      jobs: [job('a', 'over')],
      now: seconds(10),
      stopped: [],
      waitsMs: 590_000,
    },
    {
      because: 'go when it is over',
      jobs: [job('a', 'over'), job('b', 'over')],
      now: seconds(600),
      stopped: ['a', 'b'],
      waitsMs: undefined,
    },
    {
      because: 'go at once when they still work, and the others stay',
      jobs: [job('a', 'working'), job('b', 'over')],
      now: seconds(1),
      stopped: ['a'],
      waitsMs: 599_000,
    },
    {
      because: 'are not waited for once they are going',
      jobs: [job('a', 'going')],
      now: seconds(1),
      stopped: [],
      waitsMs: undefined,
    },
    {
      because: 'have the time that the run gave them',
      jobs: [job('a', 'over')],
      now: seconds(31),
      options: { ownSeconds: 30 },
      stopped: ['a'],
      waitsMs: undefined,
    },
    {
      because: 'stay for good where the run says 0',
      jobs: [job('a', 'over')],
      now: seconds(10_000),
      options: { ownSeconds: 0 },
      stopped: [],
      waitsMs: undefined,
    },
    {
      because: 'stay for good where the platform says 0',
      jobs: [job('a', 'over')],
      now: seconds(10_000),
      options: { defaultMs: 0 },
      stopped: [],
      waitsMs: undefined,
    },
  ])('$because', async ({ jobs, now, options, stopped, waitsMs }) => {
    expect(await look(jobs, now, options)).toEqual({ stopped, waitsMs })
  })
})
