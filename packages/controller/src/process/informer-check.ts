import type { Informers } from '@agents/kube'
import type { HealthCheck } from './health-checks.ts'

/** Passes when all caches have synced. A process that is not the leader fills its caches too. */
export function informerCheck(informers: Pick<Informers, 'all'>): HealthCheck {
  return () => {
    const behind = informers.all().filter((informer) => !informer.hasSynced())
    if (behind.length === 0) return
    throw new Error(`not synced: ${behind.map(({ kind }) => kind.plural).join(', ')}`)
  }
}
