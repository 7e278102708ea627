import type { Clock } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import type { UserOfChange } from './authors/change-authors.ts'
import type { DeletionJournal } from './deletions/deletion-journal.ts'
import type { PreviousMirror } from './previous-mirror.ts'
import type { StreamPool } from './stream/stream-pool.ts'

export interface TargetMirrorOptions {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  /** Without leading and trailing slashes; empty for the root. */
  readonly folder: string
  readonly pool: StreamPool
  readonly clock: Clock
  readonly log: Logger
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Finds the users of changes. If omitted, authors are field managers. */
  readonly userOf?: UserOfChange | undefined
  /** Opened. The mirror closes it. */
  readonly deletions: DeletionJournal
  /** What the previous mirror of the target knew; undefined if there was none. */
  readonly previous?: PreviousMirror | undefined
  /** Called if `state` may have changed. */
  readonly onChange: () => void
}
