import type { StreamState } from './stream.ts'

/** What is known of the branch before anything is written. */
export type OpeningState =
  | { readonly kind: 'opening' }
  /** `hasFiles`: whether the mirror's own files are there. */
  | { readonly kind: 'open'; readonly hasFiles: boolean }
  | { readonly kind: 'failed'; readonly message: string }

export interface SnapshotStats {
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

export type SnapshotState =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'completed'
      /** Undefined when there is no branch, because there was nothing to write. */
      readonly commit: string | undefined
      readonly time: Date
      /** Undefined when nothing had to be changed. */
      readonly stats: SnapshotStats | undefined
    }
  /** `isStuck`: only a person can help. */
  | { readonly kind: 'failed'; readonly message: string; readonly isStuck: boolean }

export interface StreamReport {
  /** Such as `deployments.apps`. */
  readonly resource: string
  readonly rules: readonly string[]
  readonly state: StreamState
}

export interface PushState {
  readonly lastCommit: string | undefined
  readonly lastPushTime: Date | undefined
  readonly pendingChanges: number
  readonly lastError: string | undefined
}

/** How one target's mirror is, at a moment. */
export interface MirrorState {
  readonly opening: OpeningState
  readonly snapshot: SnapshotState
  /** The commit that brought README and the like, in this life of the process. */
  readonly bootstrap: { readonly commit: string; readonly time: Date } | undefined
  readonly streams: readonly StreamReport[]
  /** What cannot have a stream, because the server does not serve it. */
  readonly missing: readonly StreamReport[]
  /** Whether something is still to be compared as a whole. */
  readonly isSyncing: boolean
  readonly lastEventTime: Date | undefined
  readonly push: PushState
  /** Changes that are not pushed yet, also those that will be in a moment. */
  readonly waiting: number
  readonly worker: { readonly name: string; readonly uid: string }
}
