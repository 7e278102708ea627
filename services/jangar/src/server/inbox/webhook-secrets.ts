import { type Clock, type ResourceCache, sleep } from '@agents/controller'
import type { ImplementationSource } from '@agents/jangar-api'
import { formatKey, isNotFound, type KubeClient, SecretKind } from '@agents/kube'
import type { Logger } from '@agents/log'
import { type WebhookProvider, webhookProviders } from './delivery/signature.ts'

interface Ports {
  readonly sources: Pick<ResourceCache<ImplementationSource>, 'subscribe'>
  readonly client: Pick<KubeClient, 'get'>
  /** Secrets of the platform itself, which prove nothing. */
  readonly refusedSecrets: readonly string[]
  readonly log: Logger
  readonly clock: Clock
  /** How often Secrets are read again. */
  readonly refreshMs?: number
}

interface Entry {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly provider: WebhookProvider
  readonly secret: { readonly name: string; readonly key: string }
  /** Either of them proves a delivery. Undefined until they have been read. */
  secrets: readonly Buffer[] | undefined
}

/**
 * The secrets of all sources, in memory: a delivery costs no request. Each Secret is read by its name: the
 * right to watch Secrets would be the right to read every Secret. A new value is used within a minute.
 */
export class WebhookSecrets {
  readonly #ports: Ports
  readonly #entries = new Map<string, Entry>()
  readonly #subscription: ReturnType<Ports['sources']['subscribe']>
  readonly #stopped = new AbortController()

  constructor(ports: Ports) {
    this.#ports = ports
    this.#subscription = ports.sources.subscribe({
      onAdd: (source) => this.#note(source),
      onUpdate: (_before, after) => this.#note(after),
      onDelete: (source) => this.#entries.delete(keyOf(source)),
    })
    void this.#refresh()
  }

  /** `unknown` until the sources and the Secret of this one have been read. */
  find(provider: WebhookProvider, namespace: string, name: string) {
    const entry = this.#entries.get(formatKey({ namespace, name }))
    if (entry === undefined) return this.#subscription.hasSynced() ? undefined : 'unknown'
    if (entry.provider !== provider) return undefined
    const { secrets } = entry
    return secrets === undefined ? 'unknown' : { ...entry, secrets }
  }

  close(): void {
    this.#subscription.remove()
    this.#stopped.abort()
  }

  #note(source: ImplementationSource): void {
    const key = keyOf(source)
    const wanted = entryOf(source)
    if (wanted === undefined) {
      this.#entries.delete(key)
      return
    }
    const known = this.#entries.get(key)
    // Most changes are those of the status.
    if (known !== undefined && isSame(known, wanted)) return
    this.#entries.set(key, wanted)
    void this.#read(wanted)
  }

  async #read(entry: Entry): Promise<void> {
    const { client, log, refusedSecrets } = this.#ports
    const { namespace, secret } = entry
    if (refusedSecrets.includes(secret.name)) {
      entry.secrets = []
      return
    }
    const { signal } = this.#stopped
    try {
      const key = { namespace, name: secret.name }
      const { data } = await client.get(SecretKind, key, { signal })
      const value = data?.[secret.key]
      entry.secrets = secretsIn(typeof value === 'string' ? value : '', entry.provider)
    } catch (error) {
      // Without its Secret a source accepts nothing. What is known stays valid while nobody can tell.
      if (isNotFound(error)) entry.secrets = []
      else if (!signal.aborted) {
        log.warn('webhook secret not read', { namespace, source: entry.name, error })
      }
    }
  }

  async #refresh(): Promise<void> {
    const { clock, refreshMs = 30_000 } = this.#ports
    const { signal } = this.#stopped
    let lastMs = clock.elapsed()
    while (!signal.aborted) {
      await sleep(clock, Math.min(refreshMs, 1000), signal)
      const isDue = clock.elapsed() - lastMs >= refreshMs
      if (isDue) lastMs = clock.elapsed()
      for (const entry of [...this.#entries.values()]) {
        if (signal.aborted) return
        if (isDue || entry.secrets === undefined) await this.#read(entry)
      }
    }
  }
}

/** Shorter ones can be guessed. */
const shortestSecret = 16
const mostSecrets = 4

/** One secret per line, so that two are valid while one replaces the other. */
function secretsIn(base64: string, provider: WebhookProvider): readonly Buffer[] {
  const lines = Buffer.from(base64, 'base64').toString('utf8').split('\n')
  return lines
    .map((line) => secretIn(line.trim(), provider))
    .filter(({ length }) => length >= shortestSecret)
    .slice(0, mostSecrets)
}

/** Senders of generic deliveries may have secrets in base64, which have a prefix. */
function secretIn(line: string, provider: WebhookProvider): Buffer {
  const prefix = 'whsec_'
  const isEncoded = provider === 'generic' && line.startsWith(prefix)
  return isEncoded ? Buffer.from(line.slice(prefix.length), 'base64') : Buffer.from(line)
}

function keyOf({ metadata: { namespace, name } }: ImplementationSource): string {
  return formatKey({ namespace, name })
}

function entryOf({ metadata, spec }: ImplementationSource): Entry | undefined {
  const { namespace = '', name, uid, deletionTimestamp } = metadata
  const provider = webhookProviders.find((one) => one === spec?.provider)
  const { name: secret, key = 'token' } = spec?.auth?.secretRef ?? {}
  const isOpen = spec?.webhook?.enabled === true && deletionTimestamp === undefined
  if (!isOpen || uid === undefined || provider === undefined) return undefined
  // An invalid name, such as one with slashes, could form another path of the API server.
  if (secret === undefined || !secretName.test(secret)) return undefined
  return { namespace, name, uid, provider, secret: { name: secret, key }, secrets: undefined }
}

const secretName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

function isSame(a: Entry, b: Entry): boolean {
  return (
    a.uid === b.uid &&
    a.provider === b.provider &&
    a.secret.name === b.secret.name &&
    a.secret.key === b.secret.key
  )
}
