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
import { withoutValues } from '../../../caches/key-only.ts'
import { mintedTokenSecret } from '../vcs-token-secret.ts'
import { refreshTime } from './refresh-time.ts'

/** Metadata of the token in a provider's Secret, without the token itself. */
export interface KeptToken {
  /** Digest of everything that the token depends on. */
  readonly issuedFor: string
  readonly refreshAt: Date
  readonly expiresAt: Date
}

interface NewToken {
  readonly token: string
  readonly issuedFor: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

const domain = 'agents.proompteng.ai'

/** Stored in annotations, because caches hold no values of Secrets. The time to refresh thus survives a restart. */
const notes = {
  issuedFor: `${domain}/token-issued-for`,
  refreshAt: `${domain}/token-refresh-at`,
  expiresAt: `${domain}/token-expires-at`,
} as const

/** The Secrets with minted tokens, one for each provider and owned by it. */
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

  /**
   * The stored token of the provider. Undefined if there is no usable one. Throws an OwnershipError if the Secret is
   * not owned by the provider.
   */
  kept(provider: VersionControlProvider): KeptToken | undefined {
    const secret = this.#find(provider)
    if (!secret) return undefined
    const { name, key } = mintedTokenSecret(provider)
    if (!isControlledBy(secret, provider)) {
      throw new OwnershipError(
        `Secret ${name} is not owned by the VersionControlProvider; delete or rename it`,
      )
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

  /** Deletes the token of a provider, for example if it no longer authenticates as an app. */
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

/** Digest of the parts. Different lists of parts have different digests. */
export function issuedFor(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
