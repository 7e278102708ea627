import type { Pair } from './played-kubelet.ts'

/** One of the two compared servers, as data, so that it can be passed to other processes. */
export interface Server {
  readonly url: string
  readonly caPem: string
  readonly adminToken: string
}

/** The servers and files that the stories use. */
export interface Stage {
  readonly embedded: Server
  /** An embedded server that gets the logs of pods from the kubelet. */
  readonly embeddedWithLogs: Server
  /** In full, and when its transcripts are recorded. */
  readonly real?: Server
  /** For commands that need a certificate in files. */
  readonly pair: Pair
  readonly kubeletPort: number
}
