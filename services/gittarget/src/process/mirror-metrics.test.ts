import { createMetrics } from '@agents/controller'
import type { GitTarget } from '@agents/gittarget-api'
import { expect, test } from 'vitest'
import type { MirrorState } from '../mirror/mirror-state.ts'
import { addMirrorMetrics } from './mirror-metrics.ts'

const live = { resource: 'configmaps', rules: [], state: { kind: 'live' as const } }
const missing = {
  resource: 'gadgets',
  rules: [],
  state: { kind: 'missing' as const, message: 'not served' },
}

const state: MirrorState = {
  opening: { kind: 'open', hasFiles: true },
  snapshot: { kind: 'completed', commit: undefined, time: new Date(0), stats: undefined },
  bootstrap: undefined,
  streams: [live, live],
  rules: new Map(),
  hasNewRules: false,
  missing: [missing],
  isSyncing: false,
  lastEventTime: undefined,
  push: {
    lastCommit: 'c',
    recent: [],
    lastPushTime: new Date(5000),
    pendingChanges: 0,
    lastError: undefined,
  },
  branchProblem: undefined,
  retainedFiles: 3,
  driftedFiles: 2,
  pendingDeletions: [],
  waiting: 7,
  worker: { name: 'w', uid: 'u' },
}

function target(name: string, ready?: 'True' | 'False'): GitTarget {
  return {
    metadata: { namespace: 'team', name },
    ...(ready && { status: { conditions: [{ type: 'Ready', status: ready }] } }),
  } as unknown as GitTarget
}

test('metrics contain what alerts need', async () => {
  const metrics = createMetrics({ process: false })
  const targets = [target('mirror', 'True'), target('blocked', 'False'), target('new')]
  addMirrorMetrics(metrics, {
    mirrors: { states: () => [['team/mirror', state]] },
    pool: { size: 2 },
    caches: { gitTargets: { list: () => targets } },
  })
  const text = await metrics.render()
  const labels = 'namespace="team",name="mirror"'
  expect(text).toContain(`gittarget_pending_changes{${labels}} 7`)
  expect(text).toContain(`gittarget_retained_files{${labels}} 3`)
  expect(text).toContain(`gittarget_drifted_files{${labels}} 2`)
  expect(text).toContain(`gittarget_last_push_timestamp_seconds{${labels}} 5`)
  expect(text).toContain(`gittarget_in_sync{${labels}} 1`)
  expect(text).toContain(`gittarget_streams{${labels},state="live"} 2`)
  expect(text).toContain(`gittarget_streams{${labels},state="missing"} 1`)
  expect(text).toContain('gittarget_watches 2')
  expect(text).toContain(`gittarget_ready{${labels}} 1`)
  expect(text).toContain('gittarget_ready{namespace="team",name="blocked"} 0')
  expect(text).toContain('gittarget_ready{namespace="team",name="new"} 0')
})
