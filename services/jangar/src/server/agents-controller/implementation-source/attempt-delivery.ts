import type { Clock, EventRecorder } from '@agents/controller'
import { isForgeError } from '@agents/forge'
import type { ImplementationSource } from '@agents/jangar-api'
import { formatKey, isConflict, KubeError, parseJson } from '@agents/kube'
import type { Logger } from '@agents/log'
import { readDelivery, type TakenKind } from '../../inbox/delivery/read-delivery.ts'
import type { ReadDelivery } from '../../inbox/delivery/read-result.ts'
import { webhookProviders } from '../../inbox/delivery/signature.ts'
import type { SourceIssue } from '../../inbox/delivery/source-issue.ts'
import type { Outcome, TakenDelivery } from '../../inbox/inbox.ts'
import type { AgentsPorts } from '../ports.ts'
import { importIssue, isRefusal, NameTaken } from './import/import-issue.ts'
import { isInScope } from './import/in-scope.ts'
import { startTriggered, type TriggerPorts } from './trigger/start-triggered.ts'
import {
  checkEvents,
  issueEvents,
  pushEvents,
  requestEvents,
  type TriggerEvent,
} from './trigger/trigger-event.ts'

export interface AttemptPorts
  extends Pick<AgentsPorts, 'client' | 'caches'>,
    Omit<TriggerPorts, 'client' | 'caches'> {
  readonly events: EventRecorder
  readonly retries: {
    readonly retryBaseDelayMs: number
    readonly retryMaxDelayMs: number
    readonly maxAttempts: number
  }
  readonly log: Logger
  readonly clock: Clock
}

/** What became of an attempt, and the issue that it was about. */
export interface Attempt {
  readonly outcome: Outcome
  readonly issue?: SourceIssue | undefined
}

/** Less than the time after which another process would try. */
const longestMs = 20_000
/** How often a delivery that waits for a run is looked at. */
const laterMs = 5000

/** Carries out what a delivery asks for. May be repeated: it has the same effect twice. */
export async function attemptDelivery(
  ports: AttemptPorts,
  delivery: TakenDelivery,
  stop: AbortSignal,
): Promise<Attempt> {
  const { caches, retries } = ports
  const { namespace, source: name, sourceUid, provider } = delivery
  const source = caches.implementationSources.get(formatKey({ namespace, name }))
  // Nothing is left to do for a source that was deleted, or disabled.
  if (source?.metadata.uid !== sourceUid || source.spec.webhook?.enabled !== true) {
    const reason = `ImplementationSource ${name} was deleted, or takes no webhooks`
    return { outcome: { kind: 'done', reason } }
  }
  // Who may start runs is decided in another way for each provider.
  if (source.spec.provider !== provider) {
    return {
      outcome: { kind: 'done', reason: `ImplementationSource ${name} has another provider` },
    }
  }
  const read = readPayload(delivery)
  if (read.kind === 'ignored') return { outcome: { kind: 'done' } }
  if (read.kind === 'invalid') return { outcome: { kind: 'dead', error: read.why } }
  const signal = AbortSignal.any([stop, AbortSignal.timeout(longestMs)])
  // A comment contains its issue, too, whose own delivery may have been missed.
  const issue = issueOf(read)
  const isGone = read.kind === 'issue' && read.isGone
  try {
    if (issue !== undefined) await importIssue(ports, source, issue, { isGone, signal })
    const outcome = await startAll(ports, source, eventsOf(source, read, delivery), signal)
    return { outcome, issue }
  } catch (error) {
    return { outcome: failureOf(error, delivery.attempts, retries), issue }
  }
}

type Read = Extract<ReadDelivery, { readonly kind: TakenKind }>

function issueOf(read: Read): SourceIssue | undefined {
  if (read.kind === 'issue') return read.issue
  return read.kind === 'request' ? read.request.issue : undefined
}

function eventsOf(
  source: ImplementationSource,
  read: Read,
  { payload }: TakenDelivery,
): readonly TriggerEvent[] {
  if (read.kind === 'request') return requestEvents(source, read.request, payload)
  if (read.kind === 'push') return pushEvents(source, read.push)
  if (read.kind === 'check') return checkEvents(source, read.check)
  const { issue, isGone } = read
  const isWanted = !isGone && issue.state === 'open' && isInScope(source.spec, issue)
  return isWanted ? issueEvents(source, issue, read, payload) : []
}

async function startAll(
  ports: AttemptPorts,
  source: ImplementationSource,
  found: readonly TriggerEvent[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { log, events, clock } = ports
  const refused: string[] = []
  for (const event of found) {
    const { trigger, actor, externalId } = event
    const started = await startTriggered(ports, source, event, { now: clock.now(), signal })
    if (started.kind === 'later') {
      return { kind: 'later', error: started.why, afterMs: laterMs }
    }
    const { namespace, name } = source.metadata
    const facts = { namespace, source: name, trigger: trigger.name, actor, issue: externalId }
    if (started.kind === 'started') {
      log.info('run triggered', { ...facts, run: started.name })
      continue
    }
    log.info('trigger refused', { ...facts, reason: started.why })
    refused.push(`trigger ${trigger.name} started nothing: ${started.why}`)
    if (started.isDenied === true) {
      const message = `Trigger ${trigger.name} for ${nameOf(event)} started nothing: ${started.why}`
      events.record(source, { type: 'Warning', reason: 'TriggerRefused', message })
    }
  }
  return { kind: 'done', ...(refused.length > 0 && { reason: refused.join('; ') }) }
}

function nameOf({ repository, number, externalId }: TriggerEvent): string {
  return repository === undefined || number === 0 ? externalId : `#${number}`
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

function failureOf(error: unknown, attempts: number, retries: AttemptPorts['retries']): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  const { retryBaseDelayMs, retryMaxDelayMs, maxAttempts } = retries
  const isRefused = error instanceof NameTaken || isRefusal(error)
  // Somebody else wrote the object at the same time.
  if (isConflict(error)) return { kind: 'again', error: message, afterMs: 0 }
  if (isRefused || (attempts >= maxAttempts && !isOutage(error))) {
    return { kind: 'dead', error: message }
  }
  const askedMs = isForgeError(error, 'rate-limited') ? (error.retryAfterMs ?? 0) : 0
  const growingMs = Math.min(retryMaxDelayMs, retryBaseDelayMs * 2 ** Math.min(20, attempts - 1))
  return { kind: 'again', error: message, afterMs: Math.max(askedMs, growingMs) }
}

/**
 * The API server or the service is unavailable. Such failures do not use up the attempts of a delivery. Others do, also
 * those that nobody foresaw: otherwise one delivery would hold up its issue forever.
 */
function isOutage(error: unknown): boolean {
  if (isForgeError(error)) return isForgeError(error, 'unreachable', 'rate-limited')
  if (error instanceof KubeError) return error.code >= 500 || error.code === 429 || error.code === 0
  return error instanceof DOMException && error.name === 'TimeoutError'
}
