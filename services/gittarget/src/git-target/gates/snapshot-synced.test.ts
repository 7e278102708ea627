import type { GitTarget } from '@agents/gittarget-api'
import { describe, expect, test, vi } from 'vitest'
import type { MirrorState } from '../../mirror/mirror-state.ts'
import { mirrorState } from '../../testing/mirror-state.ts'
import type { GitTargetPorts } from '../target-ports.ts'
import { snapshotSynced } from './snapshot-synced.ts'

const deletion = { group: '', kind: 'ConfigMap', namespace: 'team', name: 'gone' }
const recorded = { ...deletion, name: 'recorded' }

/** A target that was in sync with its current generation. */
const target = {
  metadata: { namespace: 'team', name: 'mirror', generation: 1 },
  spec: { providerRef: { name: 'repository' }, suspend: false },
  status: {
    conditions: [{ type: 'SnapshotSynced', status: 'True', observedGeneration: 1 }],
    push: { lastCommit: 'c', pendingChanges: 0, pendingDeletions: [recorded] },
  },
} as unknown as GitTarget

function gateOf(state: MirrorState | undefined, { isPaused = false } = {}) {
  const providerFailed = vi.fn()
  const mirrors = {
    until: async () => (isPaused ? undefined : state),
    state: () => (isPaused ? undefined : state),
    lastState: () => state,
  }
  const gate = snapshotSynced({ mirrors, providerFailed } as unknown as GitTargetPorts)
  const context = { now: new Date(0), signal: new AbortController().signal, scope: {} }
  return { gate, providerFailed, check: () => gate.check(target, {}, context) }
}

describe('a target whose rules changed', () => {
  test('is not in sync until the first comparison with them', async () => {
    const { check } = gateOf(mirrorState({ isSyncing: true, hasNewRules: true }))
    expect(await check()).toMatchObject({ kind: 'wait', reason: 'Running' })
  })

  test('stays in sync while it is compared again for another reason', async () => {
    const { check } = gateOf(mirrorState({ isSyncing: true }))
    expect(await check()).toMatchObject({ kind: 'pass' })
  })
})

describe('deletions that are reported while an earlier gate blocks', () => {
  const state = mirrorState({ pendingDeletions: [deletion], opening: { kind: 'opening' } })

  test('are recorded in the status, also while the mirror is paused', () => {
    for (const isPaused of [false, true]) {
      const { gate } = gateOf(state, { isPaused })
      expect(gate.blockedDetail?.(target)).toEqual({
        push: { lastCommit: 'c', pendingChanges: 0, pendingDeletions: [deletion] },
      })
    }
  })

  test('stay recorded while there is no mirror', () => {
    expect(gateOf(undefined).gate.blockedDetail?.(target)).toEqual({})
  })
})

describe('the provider is checked again', () => {
  test('if the branch cannot be checked or pushed', async () => {
    const failed = mirrorState({ branchProblem: 'the branch cannot be checked: not found' })
    const push = { ...mirrorState().push, lastError: 'rejected' }
    for (const state of [failed, mirrorState({ push })]) {
      const { check, providerFailed } = gateOf(state)
      await check()
      expect(providerFailed).toHaveBeenCalledWith('team/repository')
    }
  })

  test('not if all is well', async () => {
    const { check, providerFailed } = gateOf(mirrorState())
    await check()
    expect(providerFailed).not.toHaveBeenCalled()
  })
})
