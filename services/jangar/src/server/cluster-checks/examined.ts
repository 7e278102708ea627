import type { KubeClient, ObjectKey } from '@agents/kube'

/** What the checks of a cluster look at. */
export interface Examined {
  readonly client: KubeClient
  readonly namespace: string
  readonly now: () => Date
  readonly signal: AbortSignal
  /** If undefined, the Lease of their leader is searched for. */
  readonly controllers: ControllersPlace | undefined
}

/** Where the controllers run: in a known process; or those who hold a Lease; or others, without leader election. */
export type ControllersPlace =
  | { readonly pid: number }
  | { readonly lease: ObjectKey }
  | 'unelected'
