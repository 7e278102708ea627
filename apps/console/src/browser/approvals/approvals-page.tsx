import type { ApiObject } from '@agents/client'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useObjects } from '../data/use-objects.ts'
import { byNamespace, Filters } from '../parts/filters.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { objectState } from '../parts/object-state.ts'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { isOpen, requestKind } from './approval-request.ts'
import { DecisionForm } from './decision-form.tsx'

const route = getRouteApi('/approvals')

/** Requests for approval, and the decision about them in place. */
export function ApprovalsPage() {
  usePageTitle('Approvals')
  const search = route.useSearch()
  const { namespace } = search
  const { objects, error } = useObjects(requestKind, namespace)
  const requests = (objects ?? []).toSorted((a, b) =>
    (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  )
  const open = requests.filter(isOpen)
  const decided = requests.filter((request) => !isOpen(request))
  const navigate = useNavigate({ from: '/approvals' })
  return (
    <div className="page">
      <div className="page-head">
        <h1>Approvals</h1>
        {objects !== undefined && <span className="count">{open.length} waiting</span>}
      </div>
      <Filters
        fields={byNamespace}
        values={search}
        onValues={(next) => void navigate({ search: next, replace: true })}
      />
      <ListFailure error={error} kind={requestKind} namespace={namespace} />
      {objects !== undefined && open.length === 0 && (
        <p className="empty">Nothing waits for a decision.</p>
      )}
      {open.map((request) => (
        <OpenRequest key={request.metadata.uid} request={request} />
      ))}
      {decided.length > 0 && (
        <section>
          <h2>Decided</h2>
          <ul className="decided">
            {decided.slice(0, 50).map((request) => (
              <li key={request.metadata.uid}>
                <Phase phase={objectState(request).phase} />
                <Plain text={request.metadata.name} />
                <span className="quiet">
                  <Plain text={objectState(request).message} /> ·{' '}
                  <Ago at={request.metadata.creationTimestamp} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function OpenRequest({ request }: { readonly request: ApiObject }) {
  const { name } = request.metadata
  return (
    <article className="card" aria-label={`Request ${name}`}>
      <div className="page-head">
        <h2>
          <Plain text={name} />
        </h2>
        <Phase phase="Waiting" />
      </div>
      <DecisionForm request={request} />
    </article>
  )
}
