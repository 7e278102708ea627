import fc from 'fast-check'
import { expect, test } from 'vitest'
import { podName, podOfJob } from './pod-of-job.ts'
import type { TrackedJob } from './tracked-job.ts'

function jobOf(name: string, uid = 'u-1'): TrackedJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'n', uid },
    spec: {
      template: {
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
        spec: { containers: [{ name: 'main' }], restartPolicy: 'Never' },
      },
    },
  }
}

test('the name of an attempt is deterministic and unique', () => {
  const job = jobOf('work')
  const names = Array.from({ length: 2000 }, (_, attempt) => podName(job, attempt))
  expect(new Set(names).size).toBe(names.length)
  expect(podName(job, 7)).toBe(names[7])
  expect(podName(jobOf('work', 'u-2'), 0)).not.toBe(names[0])
})

test('the name is valid for a pod, however long the name of the Job is', () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/)
  fc.assert(
    fc.property(name, fc.nat(100_000), (long, attempt) => {
      const made = podName(jobOf(long), attempt)
      expect(made.length).toBeLessThanOrEqual(63)
      expect(made).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/)
    }),
  )
})

test('the pod is created from the template, with the tracking finalizer', () => {
  expect(podOfJob(jobOf('work'), 0)).toEqual({
    metadata: {
      name: podName(jobOf('work'), 0),
      generateName: 'work-',
      namespace: 'n',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      finalizers: ['batch.kubernetes.io/job-tracking'],
    },
    spec: { containers: [{ name: 'main' }], restartPolicy: 'Never' },
  })
})
