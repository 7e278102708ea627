import type { Metrics } from '@agents/controller'
import type { AuditWebhook } from '../audit/audit-webhook.ts'

/** Metrics that show whether audit events arrive. */
export function addAuditMetrics(
  metrics: Pick<Metrics, 'counter'>,
  { answers, writes }: Pick<AuditWebhook, 'answers' | 'writes'>,
): void {
  metrics.counter({
    name: 'gittarget_audit_requests_total',
    help: 'Requests to the audit webhook by the status of their answer.',
    labelNames: ['code'],
    *read() {
      for (const [code, value] of answers) yield { labels: { code }, value }
    },
  })
  metrics.counter({
    name: 'gittarget_audit_writes_total',
    help: 'Writes in received audit events, by whether they were of a mirrored resource.',
    labelNames: ['mirrored'],
    *read() {
      yield { labels: { mirrored: 'true' }, value: writes.kept }
      yield { labels: { mirrored: 'false' }, value: writes.ignored }
    },
  })
}
