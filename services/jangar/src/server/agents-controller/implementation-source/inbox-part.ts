import { objectApi, type Runnable, sleep, writeStatus } from '@agents/controller'
import type { ImplementationSource } from '@agents/jangar-api'
import { formatKey, isConflict, isNotFound } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { SourceIssue } from '../../inbox/delivery/source-issue.ts'
import type { Outcome, TakenDelivery } from '../../inbox/inbox.ts'
import type { InboxReader } from '../../inbox/inbox-reader.ts'
import type { AgentsPorts } from '../ports.ts'
import { type AttemptPorts, attemptDelivery } from './attempt-delivery.ts'
import { sourceForges } from './sync/open-source-forge.ts'
import { teamMembers } from './trigger/team-members.ts'
import { Turns } from './trigger/turns.ts'

type LastWebhook = NonNullable<NonNullable<ImplementationSource['status']>['lastWebhook']>

type Ports = Pick<
  AgentsPorts,
  'client' | 'caches' | 'config' | 'log' | 'clock' | 'events' | 'isPlatformAccount'
> &
  Pick<AttemptPorts, 'retries'> & { readonly inbox: InboxReader }

const batch = 50
const concurrency = 8
const idleMs = 1000
const retentionMs = 30 * 86_400_000
const cleanupMs = 3_600_000
const statusMs = 2000
/** The permission of a user can be read with every token of an app. */
const permissions = [{ issues: 'read' }, { metadata: 'read' }] as const
/** Without the second, nobody is a member of a team. */
const teamPermissions = [{ metadata: 'read', members: 'read' }, { metadata: 'read' }] as const
/** Without the first, an app can read the pull requests of public repositories. */
const proposalPermissions = [{ pull_requests: 'read' }, { metadata: 'read' }] as const

/**
 * Imports the issues of deliveries and starts the runs that they trigger, one after the other for each issue. An
 * attempt that is cut off is made again: what it does has the same effect twice.
 */
export function inboxPart(ports: Ports): Runnable {
  const { inbox, log, clock } = ports
  const reports = new SourceReports(ports)
  const [openForge, openWithTeams] = [
    sourceForges(ports, permissions),
    sourceForges(ports, teamPermissions),
  ]
  const attemptPorts: AttemptPorts = {
    ...ports,
    openForge: (source, now, stop) =>
      (hasTeams(source) ? openWithTeams : openForge)(source, now, stop),
    openProposals: sourceForges(ports, proposalPermissions),
    isTeamMember: teamMembers(),
    turns: new Turns(),
  }
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
            const { outcome, issue } = await attemptDelivery(attemptPorts, delivery, signal)
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

function hasTeams({ spec }: ImplementationSource): boolean {
  return spec.triggers?.some(({ actors }) => actors?.teams !== undefined) === true
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

/** Writes the last delivery of each source into its status, now and then: deliveries come in bursts. */
class SourceReports {
  readonly #ports: Ports
  readonly #last = new Map<string, LastWebhook>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  note(delivery: TakenDelivery, outcome: Outcome, issue: SourceIssue | undefined, now: Date): void {
    if (outcome.kind === 'later' || (issue === undefined && outcome.kind === 'done')) return
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
