import type { Clock, ResourceCache } from '@agents/controller'
import type { ImplementationSource } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import { ApiError } from '../api/api-error.ts'
import type { Database } from '../database-schema.ts'
import type { NewDelivery } from './inbox.ts'
import { InboxWriter, NotStored } from './inbox-writer.ts'
import { WebhookSecrets } from './webhook-secrets.ts'

export interface WebhookSettings {
  /** Undefined if there is none: then every delivery is answered with 503. */
  readonly database: Promise<Kysely<Database>> | undefined
  readonly queueSize: number
  readonly refusedSecrets: readonly string[]
  /** How often Secrets are read again, if not every 30 seconds. */
  readonly secretRefreshMs?: number
}

/** What the route of webhooks depends on. */
export interface Webhooks {
  readonly secrets: Pick<WebhookSecrets, 'find'>
  /** Resolves when the delivery is on disk: true if it is new. Throws ApiErrors. */
  store(delivery: NewDelivery): Promise<boolean>
  close(): void
}

interface Ports {
  readonly sources: Pick<ResourceCache<ImplementationSource>, 'subscribe'>
  readonly client: KubeClient
  readonly log: Logger
  readonly clock: Clock
}

export function openWebhooks(settings: WebhookSettings, ports: Ports): Webhooks {
  const { database, queueSize, refusedSecrets, secretRefreshMs } = settings
  const secrets = new WebhookSecrets({
    ...ports,
    refusedSecrets,
    ...(secretRefreshMs !== undefined && { refreshMs: secretRefreshMs }),
  })
  const writer = database?.then((db) => new InboxWriter({ ...ports, db, queueSize }))
  writer?.catch(() => undefined)
  return {
    secrets,
    store: async (delivery) => {
      const opened = await writer?.catch(() => undefined)
      if (opened === undefined) {
        throw unavailable(
          'deliveries cannot be stored without a database: set DATABASE_URL of the control plane',
        )
      }
      try {
        return await opened.store(delivery)
      } catch (error) {
        if (!(error instanceof NotStored)) throw error
        throw error.isQuota
          ? new ApiError('TooManyRequests', error.message, { retryAfterMs: 60_000 })
          : unavailable(error.message)
      }
    },
    close: () => secrets.close(),
  }
}

function unavailable(message: string): ApiError {
  return new ApiError('Unavailable', message, { retryAfterMs: 5000 })
}
