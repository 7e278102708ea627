import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { humanDuration } from '../human-duration.ts'
import { ageColumn, column, nameColumn, printer } from '../printer.ts'

interface CertificateRequest extends KubeObject {
  spec?: { signerName?: string; username?: string; expirationSeconds?: number }
  status?: { conditions?: readonly { type: string }[]; certificate?: string }
}

export const certificateRequestPrinter = printer<CertificateRequest>(
  [
    nameColumn,
    ageColumn,
    column('SignerName'),
    column('Requestor'),
    column('RequestedDuration'),
    column('Condition'),
  ],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    age(metadata.creationTimestamp, now),
    spec?.signerName || '<none>',
    spec?.username ?? '',
    spec?.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
    conditionText(status),
  ],
)

function conditionText(status: CertificateRequest['status']): string {
  const types = (status?.conditions ?? []).map(({ type }) => type)
  const decision = ['Denied', 'Approved'].find((type) => types.includes(type)) ?? 'Pending'
  const failed = types.includes('Failed') ? ',Failed' : ''
  return `${decision}${failed}${status?.certificate ? ',Issued' : ''}`
}
