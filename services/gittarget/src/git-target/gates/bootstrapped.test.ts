import type { GitTarget } from '@agents/gittarget-api'
import { expect, test, vi } from 'vitest'
import { mirrorState } from '../../testing/mirror-state.ts'
import type { GitTargetPorts, TargetScope } from '../target-ports.ts'
import { bootstrapped } from './bootstrapped.ts'

const deletion = { group: '', kind: 'ConfigMap', namespace: 'team', name: 'gone' }

/** What a mirror is given of this status when it starts. */
async function recordedOf(status: object) {
  const target = {
    metadata: { namespace: 'team', name: 'mirror', uid: 'u' },
    spec: { path: 'cluster', driftCheckSeconds: 300 },
    status,
  } as unknown as GitTarget
  const list = () => []
  const ensure = vi.fn(async (..._args: unknown[]) => undefined)
  const ports = {
    caches: {
      gitTargets: { get: () => target, list },
      watchRules: { list },
      clusterWatchRules: { list },
      namespaces: { list },
    },
    mirrors: { ensure, until: async () => mirrorState() },
    catalog: { served: [] },
  } as unknown as GitTargetPorts
  const push = { commitWindow: '5s', maxWindow: '30s' }
  const scope = {
    findings: { provider: { spec: { push, commit: {} } }, writer: {} },
  } as unknown as TargetScope
  const { signal } = new AbortController()
  const verdict = await bootstrapped(ports).check(target, {}, { now: new Date(0), signal, scope })
  expect(verdict.kind).toBe('pass')
  return ensure.mock.calls[0]?.[3]
}

test('recorded deletions are taken over, also if no comparison was completed', async () => {
  expect(await recordedOf({ push: { pendingDeletions: [deletion] } })).toEqual({
    hasCompared: false,
    commits: [],
    hasDrifted: false,
    deletions: [deletion],
  })
})

test('what a comparison recorded is taken over', async () => {
  const lastCompletedTime = '2026-01-01T00:00:00Z'
  const snapshot = { lastCompletedTime, lastCommit: 'b', driftedFiles: 1 }
  expect(await recordedOf({ push: { lastCommit: 'a' }, snapshot })).toEqual({
    hasCompared: true,
    commits: ['a', 'b'],
    hasDrifted: true,
    deletions: [],
  })
})
