import { createHash } from 'node:crypto'
import { Children, objectApi, type ResourceCache } from '@agents/controller'
import type { VersionControlProvider } from '@agents/jangar-api'
import {
  isControlledBy,
  isNotFound,
  type KubeClient,
  OwnershipError,
  type Secret,
  SecretKind,
} from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { withoutValues } from '../../../kubernetes/key-only.ts'
import { mintedTokenSecret } from '../vcs-token-secret.ts'
import { refreshTime } from './refresh-time.ts'

/** A token that a provider's Secret holds. Which one it is, nobody needs to know. */
export interface KeptToken {
  /** Digest of everything that it was issued for. */
  readonly issuedFor: string
  readonly refreshAt: Date
  readonly expiresAt: Date
}

export interface NewToken {
  readonly token: string
  readonly issuedFor: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

const domain = 'agents.proompteng.ai'

/** Annotations, because the cache holds no values: so the time to refresh survives a restart. */
const notes = {
  issuedFor: `${domain}/token-issued-for`,
  refreshAt: `${domain}/token-refresh-at`,
  expiresAt: `${domain}/token-expires-at`,
} as const

/** The Secrets that hold minted tokens, one for each provider and owned by it. */
export class TokenVault {
  readonly #client: KubeClient
  readonly #secrets: Children<Secret>

  constructor(client: KubeClient, cache: ResourceCache<Secret>) {
    this.#client = client
    const api = objectApi(client, SecretKind)
    this.#secrets = new Children(
      {
        ...api,
        get: async (...args) => withoutValues(await api.get(...args)),
        create: async (...args) => withoutValues(await api.create(...args)),
        patch: async (...args) => withoutValues(await api.patch(...args)),
      },
      cache,
    )
  }

  /** Undefined when there is none that could be used. A Secret of that name that is somebody else's is an OwnershipError. */
  kept(provider: VersionControlProvider): KeptToken | undefined {
    const secret = this.#find(provider)
    if (!secret) return undefined
    const { name, key } = mintedTokenSecret(provider)
    if (!isControlledBy(secret, provider)) {
      throw new OwnershipError(`Secret ${name} is not the provider's own; delete it or rename one`)
    }
    const { annotations = {} } = secret.metadata
    const refreshAt = new Date(annotations[notes.refreshAt] ?? '')
    const expiresAt = new Date(annotations[notes.expiresAt] ?? '')
    const isWhole = Object.hasOwn(secret.data ?? {}, key)
    if (!isWhole || Number.isNaN(refreshAt.getTime() + expiresAt.getTime())) return undefined
    return { issuedFor: annotations[notes.issuedFor] ?? '', refreshAt, expiresAt }
  }

  async keep(
    provider: VersionControlProvider,
    { token, issuedFor, issuedAt, expiresAt }: NewToken,
    signal: AbortSignal,
  ): Promise<KeptToken> {
    const { name, key } = mintedTokenSecret(provider)
    const { namespace = '' } = provider.metadata
    const refreshAt = refreshTime(issuedAt, expiresAt)
    const annotations = {
      [notes.issuedFor]: issuedFor,
      [notes.refreshAt]: rfc3339(refreshAt),
      [notes.expiresAt]: rfc3339(expiresAt),
    }
    const data = { [key]: base64(token), expiresAt: base64(rfc3339(expiresAt)) }
    const metadata = { name, namespace, annotations }
    await this.#secrets.createOrUpdate(
      { type: 'Opaque', metadata, data },
      provider,
      (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          annotations: { ...current.metadata.annotations, ...annotations },
        },
        data,
      }),
      signal,
    )
    return { issuedFor, refreshAt, expiresAt }
  }

  /** For a provider that no longer signs in as an app. */
  async drop(provider: VersionControlProvider, signal: AbortSignal): Promise<void> {
    const secret = this.#find(provider)
    if (!secret || !isControlledBy(secret, provider)) return
    try {
      await this.#client.delete(SecretKind, secret.metadata, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  #find(provider: VersionControlProvider): Secret | undefined {
    const { namespace } = provider.metadata
    return this.#secrets.get({ namespace, name: mintedTokenSecret(provider).name })
  }
}

/** The same for the same parts only. */
export function issuedFor(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
