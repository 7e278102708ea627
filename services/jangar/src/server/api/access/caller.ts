import { bearer } from '@agents/kube'

/** Who a token belongs to, as the cluster says. */
interface CallerFacts {
  readonly username: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** The pod that a token is bound to. */
export interface PodIdentity {
  readonly namespace: string
  readonly serviceAccount: string
  readonly name: string
  readonly uid: string
}

/** An authenticated caller. The token is kept where neither a log nor JSON shows it. */
export class Caller implements CallerFacts {
  readonly username: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  readonly #token: string

  constructor({ username, uid, groups, extra }: CallerFacts, token: string) {
    this.username = username
    this.uid = uid
    this.groups = groups
    this.extra = extra
    this.#token = token
  }

  /** The header with which the caller's own requests go to the API server. */
  authorization(): string {
    return bearer(this.#token)
  }

  /** The pod that the token is bound to. Undefined for other tokens. */
  pod(): PodIdentity | undefined {
    const [, namespace, serviceAccount] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(
      this.username,
    ) ?? ['', undefined, undefined]
    const [name] = this.extra['authentication.kubernetes.io/pod-name'] ?? []
    const [uid] = this.extra['authentication.kubernetes.io/pod-uid'] ?? []
    if (namespace === undefined || serviceAccount === undefined) return undefined
    return name && uid ? { namespace, serviceAccount, name, uid } : undefined
  }
}
