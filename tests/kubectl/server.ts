import type { Pair } from './played-kubelet.ts'

/** One of the two that are compared, as data, so that it can be handed to other processes. */
export interface Server {
  readonly url: string
  readonly caPem: string
  readonly adminToken: string
}

/** What the stories are told with. */
export interface Stage {
  readonly embedded: Server
  /** One like it that gets the logs of pods from the kubelet. */
  readonly embeddedWithLogs: Server
  readonly real: Server
  /** For commands that want one in files. */
  readonly pair: Pair
  readonly kubeletPort: number
}
