/** How to reach a cluster and as whom; `loadKubeconfig` and `loadInCluster` make one. */
export interface Connection {
  /** `https://127.0.0.1:6443`, perhaps with a path in front of all paths. */
  readonly server: string
  /** Where names without a namespace are looked for. */
  readonly namespace: string
  readonly tls?: TlsOptions
  readonly credentials?: CredentialSource
  readonly impersonate?: Impersonation
}

export interface TlsOptions {
  /** PEM. Asked before each request and expected to answer from memory; without it the system's authorities count. */
  readonly authority?: () => Promise<string | undefined>
  /** The name in the server's certificate, where it is not that of the URL. */
  readonly serverName?: string
  readonly insecureSkipVerify?: boolean
}

export interface Credentials {
  /** The value of the Authorization header. */
  readonly authorization?: string
  readonly clientCertificate?: ClientCertificate
}

/** PEM. */
export interface ClientCertificate {
  readonly certificate: string
  readonly key: string
}

export interface CredentialSource {
  /** Asked before each request and expected to answer from memory. Equal credentials must be the same object. */
  current(): Promise<Credentials>
  /** The server answered 401: what `current` says next should be fresh. */
  rejected(): void
}

export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export function staticCredentials(credentials: Credentials): CredentialSource {
  return {
    current: () => Promise.resolve(credentials),
    rejected: () => undefined,
  }
}

export function bearer(token: string): string {
  return `Bearer ${token}`
}
