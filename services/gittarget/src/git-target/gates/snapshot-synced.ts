import { pass, stall, wait } from '@agents/controller'
import { type GitTarget, maxRecentCommits } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { PushState } from '../../mirror/branch/push-report.ts'
import type { MirrorState } from '../../mirror/mirror-state.ts'
import {
  type GitTargetPorts,
  providerKeyOf,
  type TargetDetail,
  type TargetGate,
} from '../target-ports.ts'

/**
 * How long a target keeps its True condition while its mirror restarts: a restart of this process does not change the
 * folder.
 */
const restartGraceMs = 20_000
/** Changes requeue the target; this interval covers missed ones. */
const retryMs = 300_000

export function snapshotSynced({
  mirrors,
  providerFailed,
}: GitTargetPorts): TargetGate<'SnapshotSynced'> {
  return {
    condition: 'SnapshotSynced',
    async check(target, _detail, { signal }) {
      const key = formatKey(target.metadata)
      const isStale = (known: MirrorState): boolean =>
        known.isSyncing && (known.hasNewRules || !wasSynced(target))
      const isKnown = (known?: MirrorState): boolean =>
        known === undefined || (known.snapshot.kind !== 'running' && !isStale(known))
      const grace = target.spec.suspend || !wasTrue(target) ? 0 : restartGraceMs
      const state = await mirrors.until(key, isKnown, grace, signal)
      if (state === undefined) return wait('Running', 'the mirror is starting', retryMs)
      const { snapshot } = state
      const detail = { ...snapshotDetail(target, state), ...pushDetail(target, state) }
      // The provider is checked again, so that its status does not contradict that of the target.
      const hasFailed = state.push.lastError !== undefined || state.branchProblem !== undefined
      if (hasFailed) providerFailed(providerKeyOf(target))
      if (target.spec.suspend) {
        return wait(
          'Running',
          'suspended: nothing is written while spec.suspend is true',
          retryMs,
          {
            detail,
          },
        )
      }
      if (snapshot.kind === 'running' || (snapshot.kind === 'completed' && isStale(state))) {
        const message = state.push.lastError ?? 'cluster and path are being compared'
        return wait('Running', message, retryMs, { detail })
      }
      if (snapshot.kind === 'failed') {
        return snapshot.isStuck
          ? stall('SnapshotFailed', snapshot.message, { detail })
          : wait('SnapshotFailed', snapshot.message, retryMs, { detail })
      }
      if (snapshot.kind === 'drifted') {
        return snapshot.isReported
          ? stall('SnapshotFailed', snapshot.message, { detail })
          : wait('Running', snapshot.message, retryMs, { detail })
      }
      return pass('Completed', syncedMessage(state), { detail })
    },
    // Deletions that the streams report while an earlier gate blocks would otherwise be lost with the pod. Without a
    // mirror, the status keeps those that it has.
    blockedDetail: (target) => {
      const state = mirrors.lastState(formatKey(target.metadata))
      return state === undefined ? {} : pushDetail(target, state)
    },
  }
}

function conditionOf({ status }: GitTarget) {
  return status?.conditions?.find(({ type }) => type === 'SnapshotSynced')
}

function wasTrue(target: GitTarget): boolean {
  return conditionOf(target)?.status === 'True'
}

/** Whether cluster and path were in sync with the current spec. The result for an earlier spec does not count. */
function wasSynced(target: GitTarget): boolean {
  return wasTrue(target) && conditionOf(target)?.observedGeneration === target.metadata.generation
}

function syncedMessage({ retainedFiles = 0 }: MirrorState): string {
  const synced = 'cluster and path are in sync'
  if (retainedFiles === 0) return synced
  const files = retainedFiles === 1 ? '1 file' : `${retainedFiles} files`
  return `${synced}; ${files} of objects that do not exist or that no rule selects ${retainedFiles === 1 ? 'is' : 'are'} kept, see prune.mode`
}

/** A comparison without changes keeps the statistics of the previous one. */
function snapshotDetail(target: GitTarget, state: MirrorState): Partial<TargetDetail> {
  const { snapshot, retainedFiles, driftedFiles } = state
  const previous = target.status?.snapshot
  if (snapshot.kind === 'drifted') return { snapshot: { ...previous, driftedFiles } }
  if (snapshot.kind !== 'completed') return {}
  const { commit, time, stats = previous?.stats } = snapshot
  return {
    snapshot: {
      lastCompletedTime: rfc3339(time),
      ...(commit !== undefined && { lastCommit: commit }),
      ...(retainedFiles !== undefined && { retainedFiles }),
      stats: stats ?? { created: 0, updated: 0, deleted: 0 },
    },
  }
}

/** As many as the status may have. */
const maxPendingDeletions = 1000

function pushDetail(
  target: GitTarget,
  { push, pendingDeletions }: MirrorState,
): Partial<TargetDetail> {
  const previous = target.status?.push
  const lastCommit = push.lastCommit ?? previous?.lastCommit
  const lastPushTime = push.lastPushTime ? rfc3339(push.lastPushTime) : previous?.lastPushTime
  const recentCommits = commitsAfter(push.recent, previous?.recentCommits ?? [])
  return {
    push: {
      ...(lastCommit !== undefined && { lastCommit }),
      ...(lastPushTime !== undefined && { lastPushTime }),
      ...(recentCommits.length > 0 && { recentCommits }),
      pendingChanges: push.pendingChanges,
      ...(pendingDeletions.length > 0 && {
        pendingDeletions: pendingDeletions.slice(0, maxPendingDeletions),
      }),
      ...(push.lastError !== undefined && { lastError: push.lastError }),
    },
  }
}

type RecentCommits = NonNullable<NonNullable<TargetDetail['push']>['recentCommits']>

/** The commits of this process, and of those before it what the status has. */
function commitsAfter(recent: PushState['recent'], known: RecentCommits): RecentCommits {
  const own = recent.map(({ commit, time }) => ({ commit, time: rfc3339(time) }))
  const earlier = known.filter(({ commit }) => !own.some((each) => each.commit === commit))
  return [...own, ...earlier].slice(0, maxRecentCommits)
}
