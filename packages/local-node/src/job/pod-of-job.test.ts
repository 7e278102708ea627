import fc from 'fast-check'
import { expect, test } from 'vitest'
import { podName, podOfJob } from './pod-of-job.ts'
import type { TrackedJob } from './tracked-job.ts'

const jobOf = (name: string, uid = 'u-1'): TrackedJob => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'n', uid },
  spec: {
    template: {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { containers: [{ name: 'main' }], restartPolicy: 'Never' },
    },
  },
})

test('an attempt always has the same name, which no other attempt has', () => {
  const job = jobOf('work')
  const names = Array.from({ length: 2000 }, (_, attempt) => podName(job, attempt))
  expect(new Set(names).size).toBe(names.length)
  expect(podName(job, 7)).toBe(names[7])
  expect(podName(jobOf('work', 'u-2'), 0)).not.toBe(names[0])
})

test('the name is one that a pod may have, however long that of the Job is', () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/)
  fc.assert(
    fc.property(name, fc.nat(100_000), (long, attempt) => {
      const made = podName(jobOf(long), attempt)
      expect(made.length).toBeLessThanOrEqual(63)
      expect(made).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/)
    }),
  )
})

test('the pod is that of the template, and tracked', () => {
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
