import type { OrchestrationRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { composeOrchestrationRun, resumedRun } from './compose-orchestration-run.ts'

describe('the run of an Orchestration', () => {
  const request = { orchestration: 'nightly', parameters: [], others: {} }

  test('has what the flags say', () => {
    const run = composeOrchestrationRun(
      {
        ...request,
        parameters: ['stage=test', 'text=a=b'],
        timeoutMs: 1500,
        priority: '-3',
        labels: ['team=a'],
      },
      'agents',
    )
    expect(run).toEqual({
      metadata: {
        name: expect.stringMatching(/^nightly-[0-9a-f]{6}$/),
        namespace: 'agents',
        labels: { team: 'a' },
      },
      spec: {
        orchestrationRef: { name: 'nightly' },
        parameters: { stage: 'test', text: 'a=b' },
        timeoutSeconds: 2,
        priority: -3,
      },
    })
  })

  test('is not mixed with flags of other runs', () => {
    expect(() => composeOrchestrationRun({ ...request, others: { agent: 'coder' } }, 'a')).toThrow(
      '--orchestration and --agent cannot be used together',
    )
  })
})

describe('a resumed run', () => {
  const labels = { team: 'a', 'jangar.proompteng.ai/orchestration-run': 'outer' }
  const run: OrchestrationRun = {
    apiVersion: 'orchestration.proompteng.ai/v1alpha1',
    kind: 'OrchestrationRun',
    metadata: { name: 'nightly-1', namespace: 'agents', uid: 'u', labels },
    spec: {
      orchestrationRef: { name: 'nightly' },
      parameters: { stage: 'test' },
      cancel: true,
      deliveryId: 'one',
      resumeFrom: { name: 'nightly-0' },
      priority: 2,
    },
    status: {
      observedGeneration: 1,
      orchestration: { spec: { steps: [{ name: 'plan' }, { name: 'review' }] } },
    },
  }

  test('has the spec of the first one, without what belongs to that one alone', () => {
    expect(resumedRun(run, ['review'])).toEqual({
      metadata: {
        name: expect.stringMatching(/^nightly-[0-9a-f]{6}$/),
        namespace: 'agents',
        labels: { team: 'a' },
      },
      spec: {
        orchestrationRef: { name: 'nightly' },
        parameters: { stage: 'test' },
        priority: 2,
        resumeFrom: { name: 'nightly-1', steps: ['review'] },
      },
    })
    expect(resumedRun(run, []).spec?.resumeFrom).toEqual({ name: 'nightly-1' })
  })

  test('starts from a step that the first one has', () => {
    expect(() => resumedRun(run, ['reviw'])).toThrow('nightly-1 has no step reviw')
  })
})
