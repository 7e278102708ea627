import { bearer, type Impersonation } from '@agents/kube'
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
  end(): Promise<void>
  /** Called when a request of the session begins; what it returns, when the request is over. */
  attend(): () => void
  /** Throws if the session or what it stands on is no longer valid. */
  review(): Promise<void>
}

/** What lets a caller act on the cluster. */
type Credential = { readonly token: string } | { readonly impersonate: Impersonation }

/** An authenticated caller. The token is kept where neither a log nor JSON shows it. */
export class Caller implements CallerFacts {
  readonly username: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  /** Undefined if the request itself has the token. */
  readonly session: CallerSession | undefined
  readonly #credential: Credential

  constructor(
    { username, uid, groups, extra }: CallerFacts,
    credential: Credential,
    session?: CallerSession,
  ) {
    this.username = username
    this.uid = uid
    this.groups = groups
    this.extra = extra
    this.session = session
    this.#credential = credential
  }

  /** A person whom an OpenID provider knows: the control plane acts in their name. */
  static impersonated(
    username: string,
    groups: readonly string[],
    session?: CallerSession,
  ): Caller {
    const impersonate = { user: username, groups }
    // The API server adds this group to each impersonated user. Reviews of rights have to name it.
    const all = [...groups, 'system:authenticated']
    const facts = { username, uid: undefined, groups: all, extra: {} }
    return new Caller(facts, { impersonate }, session)
  }

  /** The same caller, by the requests of a session. */
  inSession(session: CallerSession): Caller {
    return new Caller(this, this.#credential, session)
  }

  isSameUser({ username, uid }: Pick<CallerFacts, 'username' | 'uid'>): boolean {
    return username === this.username && uid === this.uid
  }

  /** The header with which the caller's own requests go to the API server. Undefined if there is no token. */
  authorization(): string | undefined {
    return 'token' in this.#credential ? bearer(this.#credential.token) : undefined
  }

  /** Whom the control plane impersonates in requests of the caller. Undefined if there is a token. */
  impersonation(): Impersonation | undefined {
    return 'impersonate' in this.#credential ? this.#credential.impersonate : undefined
  }

  /** When the token ends. Undefined if it does not say, or there is none. */
  tokenExpiry(): Date | undefined {
    return 'token' in this.#credential ? tokenExpiry(this.#credential.token) : undefined
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
