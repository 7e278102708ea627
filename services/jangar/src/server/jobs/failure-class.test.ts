import { failureClasses } from '@agents/jangar-api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Reason, reasons } from '../../run-contract/outcome.ts'
import {
  type AnyFailureClass,
  type FailureFacts,
  failureClass,
  isRetried,
} from './failure-class.ts'

interface Row {
  readonly because: string
  readonly facts: FailureFacts
  readonly is: AnyFailureClass
}

const rows: readonly Row[] = [
  { because: 'a plain command failed', facts: { cause: 'failed' }, is: 'Error' },
  {
    because: 'a program of the runner failed',
    facts: { cause: 'failed', work: 'ProgramFailed' },
    is: 'Error',
  },
  {
    because: 'the model refused its requests',
    facts: { cause: 'failed', work: 'RateLimited' },
    is: 'RateLimited',
  },
  { because: 'its Job was deleted', facts: { cause: 'missing' }, is: 'Evicted' },
  {
    because: 'the cluster ended the pod, whatever its program reported',
    facts: { cause: 'failed', isEvicted: true, work: 'RateLimited' },
    is: 'Evicted',
  },
  { because: 'it took too long', facts: { cause: 'timedOut' }, is: 'Timeout' },
  {
    because: 'it took too long, whatever its program reported',
    facts: { cause: 'timedOut', work: 'RateLimited', isEvicted: true },
    is: 'Timeout',
  },
  {
    because: 'no node was free in time',
    facts: { cause: 'timedOut', problem: 'Scheduling' },
    is: 'Timeout',
  },
  {
    because: 'the image could not be pulled in time',
    facts: { cause: 'timedOut', problem: 'ImageUnavailable' },
    is: 'ImagePull',
  },
  {
    because: 'somebody else pushed to the branch',
    facts: { cause: 'failed', work: 'PushConflict', publish: 'PushConflict' },
    is: 'PushConflict',
  },
  {
    because: 'only the publisher knows of a conflict',
    facts: { cause: 'failed', work: 'PushConflict' },
    is: 'Error',
  },
  {
    because: 'the remote refused the push, perhaps because of its content',
    facts: { cause: 'failed', work: 'PushRejected', publish: 'PushRejected' },
    is: 'Error',
  },
  {
    because: 'the policy forbids the push, whatever the program reported',
    facts: { cause: 'failed', work: 'RateLimited', publish: 'PublishRefused' },
    is: 'Policy',
  },
  ...(['InvalidSpec', 'InvalidTemplate', 'InvalidBranch'] as const).map((work) => ({
    because: `another attempt has the same documents: ${work}`,
    facts: { cause: 'failed' as const, work },
    is: 'InvalidSpec' as const,
  })),
  {
    because: 'somebody replaced its documents, which is not the fault of the agent',
    facts: { cause: 'failed', work: 'DocumentsChanged' },
    is: 'InvalidSpec',
  },
]

describe('the class of a failure', () => {
  test.each(rows)('$is: $because', ({ facts, is }) => {
    expect(failureClass(facts)).toBe(is)
  })

  test('each class has a failure', () => {
    const found = new Set(rows.map(({ is }) => is))
    expect([...found].toSorted()).toEqual([...failureClasses, 'InvalidSpec', 'Policy'].toSorted())
  })

  test('depends on the report of the program only where nothing else is known', () => {
    const reason = fc.constantFrom(...(Object.keys(reasons) as Reason[]))
    const trusted = fc.record<FailureFacts>(
      {
        cause: fc.constantFrom('failed', 'missing', 'timedOut'),
        problem: fc.constantFrom('Scheduling', 'ImageUnavailable'),
        isEvicted: fc.boolean(),
        publish: reason,
      },
      { requiredKeys: ['cause'] },
    )
    fc.assert(
      fc.property(trusted, reason, (facts, work) => {
        const known = failureClass(facts)
        const claimed = failureClass({ ...facts, work })
        if (known === 'Error') expect(['Error', 'RateLimited', 'InvalidSpec']).toContain(claimed)
        else expect(claimed).toBe(known)
      }),
    )
  })
})

describe('a failure is retried', () => {
  test.each([
    ...failureClasses.map((failure) => ({ failure, retryOn: undefined, is: true })),
    { failure: 'InvalidSpec', retryOn: undefined, is: false },
    { failure: 'Policy', retryOn: undefined, is: false },
    { failure: 'Policy', retryOn: failureClasses, is: false },
    { failure: 'Evicted', retryOn: ['Evicted', 'RateLimited'], is: true },
    { failure: 'Error', retryOn: ['Evicted', 'RateLimited'], is: false },
  ] as const)('$failure of $retryOn: $is', ({ failure, retryOn, is }) => {
    expect(isRetried(failure, retryOn)).toBe(is)
  })
})
