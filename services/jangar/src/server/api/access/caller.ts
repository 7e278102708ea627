import { bearer } from '@agents/kube'
import { tokenExpiry } from './bearer-token.ts'

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

/** The session of a browser, as its requests see it. */
export interface CallerSession {
  readonly expiresAt: Date
  /** Aborted when the session ends: what it has begun is not finished. */
  readonly ended: AbortSignal
  end(): void
  /** Throws if the session or what it stands on is no longer valid. */
  review(): Promise<void>
}

/** An authenticated caller. The token is kept where neither a log nor JSON shows it. */
export class Caller implements CallerFacts {
  readonly username: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  /** Undefined if the request itself has the token. */
  readonly session: CallerSession | undefined
  readonly #token: string

  constructor(
    { username, uid, groups, extra }: CallerFacts,
    token: string,
    session?: CallerSession,
  ) {
    this.username = username
    this.uid = uid
    this.groups = groups
    this.extra = extra
    this.session = session
    this.#token = token
  }

  /** The same caller, by the requests of a session. */
  inSession(session: CallerSession): Caller {
    return new Caller(this, this.#token, session)
  }

  isSameUser({ username, uid }: Pick<CallerFacts, 'username' | 'uid'>): boolean {
    return username === this.username && uid === this.uid
  }

  /** The header with which the caller's own requests go to the API server. */
  authorization(): string {
    return bearer(this.#token)
  }

  /** When the token ends. Undefined if it does not say. */
  tokenExpiry(): Date | undefined {
    return tokenExpiry(this.#token)
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
