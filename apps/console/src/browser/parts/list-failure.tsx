import { ApiFailure } from '@agents/client'
import { FailureNotice, Notice } from './notice.tsx'
import { Plain } from './plain.tsx'

interface ListFailureProps {
  readonly error: unknown
  /** `budgets.budgets.proompteng.ai` */
  readonly kind: string
  readonly namespace: string | undefined
}

/** Why objects cannot be listed: the right that is missing, or what failed. */
export function ListFailure({ error, kind, namespace }: ListFailureProps) {
  if (error === null) return null
  const isForbidden = error instanceof ApiFailure && error.status === 403
  if (!isForbidden) return <FailureNotice what="They cannot be listed:" error={error} />
  return (
    <Notice tone="wait">
      You may not: list <Plain text={kind} /> in{' '}
      {namespace === undefined ? (
        'all namespaces. Name a namespace that you may read.'
      ) : (
        <Plain text={`namespace ${namespace}.`} />
      )}
    </Notice>
  )
}
