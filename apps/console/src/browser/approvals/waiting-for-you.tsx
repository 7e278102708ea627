import type { ApiObject } from '@agents/client'
import { Link } from '@tanstack/react-router'
import { useObjects } from '../data/use-objects.ts'
import { Plain } from '../parts/plain.tsx'
import { useSession } from '../session/session-gate.tsx'
import { isOpen, policyKind, requestKind, requestSpec } from './approval-request.ts'
import { policyObstacles } from './approver.ts'

const shown = 5

/** What the user can decide, and how many other requests wait. Who may not list them in all namespaces sees none. */
export function WaitingForYou() {
  const { objects = [] } = useObjects(requestKind, undefined)
  const open = objects.filter(isOpen)
  const { objects: policies } = useObjects(policyKind, undefined, open.length > 0)
  const { who } = useSession()
  if (open.length === 0) return null
  const mine = open.filter((request) => {
    const policy = policyOf(request, policies)
    if (policy === undefined) return false
    const { decide, approve } = policyObstacles(policy, request, who)
    return decide === undefined && approve === undefined
  })
  const others = open.length - mine.length
  return (
    <section className="outcome wait" aria-label="Approvals">
      {mine.length > 0 && (
        <>
          <strong>
            {mine.length} {mine.length === 1 ? 'request waits' : 'requests wait'} for you:
          </strong>{' '}
          {mine.slice(0, shown).map((request) => (
            <RequestLink key={request.metadata.uid} request={request} />
          ))}
        </>
      )}
      <Link to="/approvals">
        {mine.length === 0
          ? `${others} ${others === 1 ? 'request waits' : 'requests wait'} for approval`
          : others === 0
            ? 'All requests'
            : `${others} more ${others === 1 ? 'waits' : 'wait'} for others`}
      </Link>
    </section>
  )
}

function policyOf(
  request: ApiObject,
  policies: readonly ApiObject[] | undefined,
): ApiObject | undefined {
  const { policyRef } = requestSpec(request)
  return policies?.find(
    ({ metadata: { name, namespace } }) =>
      name === policyRef?.name && namespace === request.metadata.namespace,
  )
}

function RequestLink({ request }: { readonly request: ApiObject }) {
  const { namespace = '' } = request.metadata
  const { kind = '', name = '' } = requestSpec(request).subject ?? {}
  return (
    <>
      <Link to="/runs/$namespace/$name" params={{ namespace, name }} search={{ kind }}>
        <Plain text={name} />
      </Link>{' '}
    </>
  )
}
