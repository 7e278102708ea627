import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { hasSeenEnd } from './seen-end.ts'

const finished = [{ type: 'Finished', status: 'True' }]
const ref = (phase: string) => ({ type: 'job', name: 'a-job', task: { phase } })
const steps = (phase: string) => ({ steps: [{ phase, jobRef: { name: 'a-job' } }] })

test.each([
  {
    because: 'the run is over',
    status: { conditions: finished, runtimeRef: ref('Running') },
    is: true,
  },
  {
    because: 'the attempt runs, as far as anybody knows',
    status: { runtimeRef: ref('Running') },
    is: false,
  },
  {
    because: 'the attempt has failed and another follows',
    status: { runtimeRef: ref('Retrying') },
    is: true,
  },
  {
    because: 'the attempt is another one',
    status: { runtimeRef: { ...ref('Running'), name: 'b' } },
    is: true,
  },
  {
    because: 'the step runs',
    status: { workflow: steps('Running'), runtimeRef: { type: 'workflow' } },
    is: false,
  },
  { because: 'the step is done', status: { workflow: steps('Succeeded') }, is: true },
  { because: 'nothing is known', status: undefined, is: true },
])('$because: $is', ({ status, is }) => {
  expect(hasSeenEnd({ status } as unknown as AgentRun, 'a-job')).toBe(is)
})
