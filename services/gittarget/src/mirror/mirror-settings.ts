import type { GitTarget } from '@agents/gittarget-api'
import type { WindowSettings } from './commit-window.ts'
import type { StreamReport } from './mirror-state.ts'
import type { MirrorEncryption } from './render-file.ts'
import type { Selection } from './selection.ts'

/** What a target wants, and may, at a moment. */
export interface MirrorSettings extends WindowSettings {
  readonly selections: readonly Selection[]
  /** Resources that rules ask for and the server does not serve. */
  readonly missing: readonly StreamReport[]
  readonly encryption: MirrorEncryption | undefined
  readonly prune: GitTarget['spec']['prune']
  /** The sweep that a person has confirmed. */
  readonly confirmed: string | undefined
  readonly suspend: boolean
  readonly messageTemplate: string | undefined
  /** Another one means that cluster and folder have to be compared as a whole. */
  readonly revision: string
}
