/** The address of a cluster and the credentials for it, from `loadKubeconfig` or `loadInCluster`. */
export interface Connection {
  /** `https://127.0.0.1:6443`, optionally with a path prefix. */
  readonly server: string
  /** The default namespace. */
  readonly namespace: string
  readonly tls?: TlsOptions
  readonly credentials?: CredentialSource
  readonly impersonate?: Impersonation
}

export interface TlsOptions {
  /** PEM. Called before each request, so it should be cached. If omitted, the authorities of the system are used. */
  readonly authority?: () => Promise<string | undefined>
  /** The name in the server's certificate, if it differs from the host in the URL. */
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
  /** Called before each request, so it should be cached. Equal credentials must be the same object. */
  current(): Promise<Credentials>
  /** To be called after a 401 response: `current` then returns fresh credentials. */
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
