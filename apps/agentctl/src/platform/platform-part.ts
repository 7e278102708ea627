import type { Connection, Informers, KubeClient, PodStreams } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { StateFolder } from './state-folder.ts'

/** What the parts of a platform depend on. */
interface PlatformContext {
  /** As an administrator. */
  readonly client: KubeClient
  readonly connection: Connection
  readonly informers: Informers
  readonly log: Logger
  readonly folder: StateFolder
  /** What of the environment is passed on to pods and settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The user of a write, by the resource version of the written object; undefined if it is not known. */
  readonly userOf: (resourceVersion: string) => string | undefined
  /** To be called when the part has ended unexpectedly. The platform then stops. */
  readonly onFailure: (error: unknown) => void
}

/** A component that runs as long as the platform does. */
export interface PlatformPart {
  readonly name: string
  /** Whether it starts only after the kinds of the platform are installed. */
  readonly needsKinds: boolean
  /** Whether it starts in the background, after the sample run. Its failure does not stop the platform. */
  readonly inBackground?: boolean
  start(context: PlatformContext): Promise<RunningPart>
}

export interface RunningPart {
  /** exec, attach and port-forward for pods, if the part runs them. */
  readonly podStreams?: PodStreams
  stop(): Promise<void>
}
