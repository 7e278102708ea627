import { type Clock, objectApi, type Runnable, sleep, writeStatus } from '@agents/controller'
import type { ImplementationSource } from '@agents/jangar-api'
import { formatKey, isConflict, isNotFound, KubeError, parseJson } from '@agents/kube'
import type { Logger } from '@agents/log'
import { rfc3339 } from '@agents/status'
import { type ReadDelivery, readDelivery } from '../../inbox/delivery/read-delivery.ts'
import { webhookProviders } from '../../inbox/delivery/signature.ts'
import type { Outcome, TakenDelivery } from '../../inbox/inbox.ts'
import type { InboxReader } from '../../inbox/inbox-reader.ts'
import type { AgentsPorts } from '../ports.ts'
import { importIssue, isRefusal, NameTaken } from './import/import-issue.ts'

type LastWebhook = NonNullable<NonNullable<ImplementationSource['status']>['lastWebhook']>

interface Ports extends Pick<AgentsPorts, 'client' | 'caches'> {
  readonly inbox: InboxReader
  readonly retries: {
    readonly retryBaseDelayMs: number
    readonly retryMaxDelayMs: number
    readonly maxAttempts: number
  }
  readonly log: Logger
  readonly clock: Clock
}

const batch = 50
const concurrency = 8
const idleMs = 1000
const retentionMs = 30 * 86_400_000
const cleanupMs = 3_600_000
const statusMs = 2000
/** Less than the time after which another process would try. */
const longestMs = 20_000

/**
 * Imports the issues of deliveries, one after the other for each issue. An attempt that is cut off is made again: what
 * it does has the same effect twice.
 */
export function inboxPart(ports: Ports): Runnable {
  const { inbox, log, clock } = ports
  const reports = new SourceReports(ports)
  return {
    name: 'webhook inbox',
    run: async (signal) => {
      let isFailing = false
      let cleanedMs = Number.NEGATIVE_INFINITY
      const reporting = reports.run(signal)
      while (!signal.aborted) {
        try {
          if (clock.elapsed() - cleanedMs >= cleanupMs) {
            await inbox.forget(new Date(clock.now().getTime() - retentionMs))
            cleanedMs = clock.elapsed()
          }
          const taken = await inbox.take(batch)
          await each(taken, concurrency, async (delivery) => {
            const { outcome, issue } = await attempt(ports, delivery, signal)
            // The outcome is not recorded: the lease expires, and the next leader tries again.
            if (signal.aborted) return
            await inbox.settle(delivery, outcome)
            reports.note(delivery, outcome, issue, clock.now())
          })
          if (isFailing) log.info('webhook inbox is read again')
          isFailing = false
          if (taken.length === 0) await sleep(clock, idleMs, signal)
        } catch (error) {
          if (signal.aborted) break
          if (!isFailing) log.warn('webhook inbox cannot be read', { error })
          isFailing = true
          await sleep(clock, idleMs, signal)
        }
      }
      await reporting
    },
  }
}

async function each<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items]
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: most }, worker))
}

type Issue = Extract<ReadDelivery, { readonly kind: 'issue' }>['issue']

interface Attempt {
  readonly outcome: Outcome
  readonly issue?: Issue
}

async function attempt(ports: Ports, delivery: TakenDelivery, stop: AbortSignal): Promise<Attempt> {
  const { caches, retries } = ports
  const { namespace, source: name, sourceUid } = delivery
  const source = caches.implementationSources.get(formatKey({ namespace, name }))
  // Nothing is left to do for a source that was deleted, or disabled.
  if (source?.metadata.uid !== sourceUid || source.spec.webhook?.enabled !== true) {
    return { outcome: { kind: 'done' } }
  }
  const read = readPayload(delivery)
  if (read.kind === 'ignored') return { outcome: { kind: 'done' } }
  if (read.kind === 'invalid') return { outcome: { kind: 'dead', error: read.why } }
  const { issue, isGone } = read
  const signal = AbortSignal.any([stop, AbortSignal.timeout(longestMs)])
  try {
    await importIssue(ports, source, issue, { isGone, signal })
    return { outcome: { kind: 'done' }, issue }
  } catch (error) {
    return { outcome: failureOf(error, delivery.attempts, retries), issue }
  }
}

function readPayload({ provider, event, payload }: TakenDelivery): ReadDelivery {
  const known = webhookProviders.find((one) => one === provider)
  if (known === undefined) return { kind: 'invalid', why: `unknown provider ${provider}` }
  try {
    return readDelivery(known, event, parseJson(payload.toString('utf8')) as object)
  } catch {
    return { kind: 'invalid', why: 'the payload is not JSON' }
  }
}

function failureOf(error: unknown, attempts: number, retries: Ports['retries']): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  const { retryBaseDelayMs, retryMaxDelayMs, maxAttempts } = retries
  const isRefused = error instanceof NameTaken || isRefusal(error)
  // Somebody else wrote the object at the same time.
  if (isConflict(error)) return { kind: 'again', error: message, afterMs: 0 }
  if (isRefused || (attempts >= maxAttempts && !isOutage(error))) {
    return { kind: 'dead', error: message }
  }
  const afterMs = Math.min(retryMaxDelayMs, retryBaseDelayMs * 2 ** Math.min(20, attempts - 1))
  return { kind: 'again', error: message, afterMs }
}

/** The API server is unavailable. Such failures do not use up the attempts of a delivery. */
function isOutage(error: unknown): boolean {
  return (
    !(error instanceof KubeError) || error.code >= 500 || error.code === 429 || error.code === 0
  )
}

/** Writes the last delivery of each source into its status, now and then: deliveries come in bursts. */
class SourceReports {
  readonly #ports: Ports
  readonly #last = new Map<string, LastWebhook>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  note(delivery: TakenDelivery, outcome: Outcome, issue: Issue | undefined, now: Date): void {
    if (issue === undefined && outcome.kind === 'done') return
    const { namespace, source: name, deliveryId, provider, attempts, receivedAt } = delivery
    const states = { done: 'synced', again: 'retrying', dead: 'failed' } as const
    this.#last.set(formatKey({ namespace, name }), {
      ...(deliveryId !== undefined && { deliveryId, idempotencyKey: `${provider}:${deliveryId}` }),
      provider,
      externalId: issue?.externalId ?? delivery.subject,
      ...(issue && { sourceVersion: issue.version }),
      receivedAt: rfc3339(receivedAt),
      ...(outcome.kind !== 'again' && { processedAt: rfc3339(now) }),
      attempts,
      status: states[outcome.kind],
      ...(outcome.kind !== 'done' && { error: outcome.error.slice(0, 1000) }),
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports
    while (!signal.aborted) {
      await sleep(clock, statusMs, signal)
      for (const [key, last] of [...this.#last]) {
        if (signal.aborted) return
        this.#last.delete(key)
        try {
          await this.#write(key, last, signal)
        } catch (error) {
          if (isNotFound(error) || signal.aborted) continue
          if (!isConflict(error)) log.debug('source status not written', { source: key, error })
          // Unless a newer one has come meanwhile.
          if (!this.#last.has(key)) this.#last.set(key, last)
        }
      }
    }
  }

  async #write(key: string, last: LastWebhook, signal: AbortSignal): Promise<void> {
    const { client, caches, clock } = this.#ports
    const sources = caches.implementationSources
    const source = sources.get(key)
    if (source === undefined) return
    const status = {
      ...source.status,
      lastWebhook: last,
      ...(last.status === 'synced' && { lastSyncedAt: last.processedAt }),
    }
    await writeStatus(objectApi(client, sources.kind), source, status, { now: clock.now(), signal })
  }
}
