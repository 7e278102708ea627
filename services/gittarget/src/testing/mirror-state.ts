import type { MirrorState } from '../mirror/mirror-state.ts'

/** The state of a mirror that is in sync, with the differences that a test needs. */
export function mirrorState(differences: Partial<MirrorState> = {}): MirrorState {
  return {
    opening: { kind: 'open', hasFiles: true },
    snapshot: { kind: 'completed', commit: undefined, time: new Date(0), stats: undefined },
    bootstrap: undefined,
    streams: [],
    rules: new Map(),
    hasNewRules: false,
    missing: [],
    isSyncing: false,
    lastEventTime: undefined,
    push: {
      lastCommit: undefined,
      recent: [],
      lastPushTime: undefined,
      pendingChanges: 0,
      lastError: undefined,
    },
    branchProblem: undefined,
    retainedFiles: 0,
    driftedFiles: 0,
    pendingDeletions: [],
    waiting: 0,
    worker: { name: 'w', uid: 'u' },
    ...differences,
  }
}
