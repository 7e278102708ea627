import type { WindowSettings } from './commit/commit-window.ts'
import type { FolderSettings } from './folder/folder-settings.ts'
import type { RuleVersions } from './rule-versions.ts'
import type { Selection } from './selection/selection.ts'
import type { StreamReport } from './stream/watched-streams.ts'

/** The settings of a target's mirror, from the target, its rules and its provider. */
export interface MirrorSettings extends WindowSettings, FolderSettings {
  readonly selections: readonly Selection[]
  /** The rules that `selections` are of. */
  readonly rules: RuleVersions
  /** Resources that rules select and the server does not serve. */
  readonly missing: readonly StreamReport[]
  /** How often an idle mirror asks the server whether the branch has moved; 0 for never. */
  readonly driftCheckMs: number
  /** If it changes, cluster and folder are compared as a whole. */
  readonly revision: string
}
