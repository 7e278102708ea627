import type { Connection, Informers, KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { StateFolder } from './state-folder.ts'

/** What the parts of a platform are given. */
export interface PlatformContext {
  /** As an administrator. */
  readonly client: KubeClient
  readonly connection: Connection
  readonly informers: Informers
  readonly log: Logger
  readonly folder: StateFolder
  /** What of the environment is passed on to pods and settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** To be called when the part has ended and was not asked to: the platform then ends too. */
  readonly onFailure: (error: unknown) => void
}

/** Something that runs in the platform for as long as it does. */
export interface PlatformPart {
  readonly name: string
  /** Whether it reads kinds of the platform, and so begins when they are there. */
  readonly needsKinds: boolean
  /** Whether nobody waits for it: it begins when the first run has been shown, and its failure is no reason to stop. */
  readonly inBackground?: boolean
  start(context: PlatformContext): Promise<RunningPart>
}

export interface RunningPart {
  stop(): Promise<void>
}
