import { pass, stall, wait } from '@agents/controller'
import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { MirrorState } from '../mirror/mirror-state.ts'
import {
  type GitTargetPorts,
  providerKeyOf,
  type TargetDetail,
  type TargetGate,
} from './target-ports.ts'

/**
 * How long a target that was in step keeps its good name while its mirror is being started again: a restart of this process
 * is no news about the folder.
 */
const RESTART_PATIENCE_MS = 20_000
/** News wakes the target; this is for what was missed all the same. */
const RETRY_MS = 300_000

export const snapshotSynced = ({
  mirrors,
  doubt,
}: GitTargetPorts): TargetGate<'SnapshotSynced'> => ({
  condition: 'SnapshotSynced',
  async check(target, _detail, { signal }) {
    const key = formatKey(target.metadata)
    const isStale = (known: MirrorState): boolean => known.isSyncing && !wasSynced(target)
    const isKnown = (known?: MirrorState): boolean =>
      known === undefined || (known.snapshot.kind !== 'running' && !isStale(known))
    const patience = target.spec.suspend || !wasTrue(target) ? 0 : RESTART_PATIENCE_MS
    const state = await mirrors.until(key, isKnown, patience, signal)
    if (state === undefined) return wait('Running', 'the mirror is being started', RETRY_MS)
    const { snapshot } = state
    const detail = { ...snapshotDetail(target, state), ...pushDetail(target, state) }
    if (state.push.lastError !== undefined) doubt(providerKeyOf(target))
    if (target.spec.suspend) {
      return wait(
        'Running',
        'suspended: nothing is written until spec.suspend is false',
        RETRY_MS,
        {
          detail,
        },
      )
    }
    if (snapshot.kind === 'running' || (snapshot.kind === 'completed' && isStale(state))) {
      const message = state.push.lastError ?? 'cluster and path are being compared'
      return wait('Running', message, RETRY_MS, { detail })
    }
    if (snapshot.kind === 'failed') {
      return snapshot.isStuck
        ? stall('SnapshotFailed', snapshot.message, { detail })
        : wait('SnapshotFailed', snapshot.message, RETRY_MS, { detail })
    }
    return pass('Completed', 'cluster and path agree', { detail })
  },
})

const conditionOf = ({ status }: GitTarget) =>
  status?.conditions?.find(({ type }) => type === 'SnapshotSynced')

const wasTrue = (target: GitTarget): boolean => conditionOf(target)?.status === 'True'

/** Whether cluster and path agreed already with the spec as it is. What agreed with another one says nothing about this one. */
const wasSynced = (target: GitTarget): boolean =>
  wasTrue(target) && conditionOf(target)?.observedGeneration === target.metadata.generation

/** A comparison that found nothing to do says nothing new about what had to be done before. */
const snapshotDetail = (target: GitTarget, { snapshot }: MirrorState): Partial<TargetDetail> => {
  if (snapshot.kind !== 'completed') return {}
  const previous = target.status?.snapshot
  const { commit, time, stats = previous?.stats } = snapshot
  return {
    snapshot: {
      lastCompletedTime: rfc3339(time),
      ...(commit !== undefined && { lastCommit: commit }),
      stats: stats ?? { created: 0, updated: 0, deleted: 0 },
    },
  }
}

const pushDetail = (target: GitTarget, { push }: MirrorState): Partial<TargetDetail> => {
  const previous = target.status?.push
  const lastCommit = push.lastCommit ?? previous?.lastCommit
  const lastPushTime = push.lastPushTime ? rfc3339(push.lastPushTime) : previous?.lastPushTime
  return {
    push: {
      ...(lastCommit !== undefined && { lastCommit }),
      ...(lastPushTime !== undefined && { lastPushTime }),
      pendingChanges: push.pendingChanges,
      ...(push.lastError !== undefined && { lastError: push.lastError }),
    },
  }
}
