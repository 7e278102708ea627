import { createHash } from 'node:crypto'
import type { New, Pod } from '@agents/kube'
import { trackingFinalizer } from './job-conditions.ts'
import type { TrackedJob } from './tracked-job.ts'

/** The alphabet of generated names in Kubernetes: without vowels, so that no words appear. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const longestName = 63
const digestLength = 4

/** The pod of one attempt. The same attempt always has the same pod name, so creating it twice finds the first. */
export function podOfJob(job: TrackedJob, attempt: number): New<Pod> & NamedPod {
  const { labels, annotations } = job.spec.template.metadata ?? {}
  const { namespace, name } = job.metadata
  return {
    metadata: {
      name: podName(job, attempt),
      generateName: `${name}-`,
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels: { ...labels } }),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
      finalizers: [trackingFinalizer],
    },
    spec: structuredClone(job.spec.template.spec),
  }
}

interface NamedPod {
  metadata: { name: string }
}

/** The number of the attempt is part of the name, so that no two attempts of a Job share one. */
export function podName({ metadata }: TrackedJob, attempt: number): string {
  const suffix = digest(metadata.uid ?? metadata.name) + inAlphabet(attempt)
  const room = longestName - suffix.length - 1
  return `${metadata.name.slice(0, room).replace(/[^a-z0-9]+$/, '')}-${suffix}`
}

function digest(text: string): string {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from(bytes.subarray(0, digestLength), letter).join('')
}

function inAlphabet(number: number): string {
  const rest = Math.floor(number / alphabet.length)
  return (rest > 0 ? inAlphabet(rest) : '') + letter(number)
}

function letter(number: number): string {
  return alphabet.charAt(number % alphabet.length)
}
