/** One of the two that are compared, as data, so that it can be handed to other processes. */
export interface Server {
  readonly url: string
  readonly caPem: string
  readonly adminToken: string
}
