import type { GitTarget } from '@agents/gittarget-api'
import type { PathTemplate } from '../../document/path-template.ts'
import type { MirrorEncryption } from '../snapshot/render-file.ts'

/** Settings of a target that decide what is written to its folder. */
export interface FolderSettings {
  /** If undefined, Secrets are not mirrored. */
  readonly encryption: MirrorEncryption | undefined
  readonly prune: GitTarget['spec']['prune']
  /** Value of the annotation with which a person allows one large deletion. */
  readonly confirmed: string | undefined
  /** Layout of the folder. If omitted, the default one. */
  readonly pathTemplate?: PathTemplate | undefined
  /** Whether fields of mirrored objects are ignored. */
  readonly ignoresFields: boolean
  readonly onDrift: GitTarget['spec']['onDrift']
  readonly suspend: boolean
  readonly messageTemplate: string | undefined
  /** Whether the author of a commit is who made the change, instead of the committer. */
  readonly attributesChanges: boolean
}
