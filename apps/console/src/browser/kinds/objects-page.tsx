import type { ApiObject } from '@agents/client'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useAllObjects } from '../data/use-objects.ts'
import { Button } from '../parts/button.tsx'
import { byNamespace, Filters } from '../parts/filters.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { objectState } from '../parts/object-state.ts'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'

const route = getRouteApi('/kinds/$kind')

export function ObjectsPage() {
  const { kind } = route.useParams()
  const search = route.useSearch()
  const { namespace } = search
  usePageTitle(kind)
  const navigate = useNavigate({ from: '/kinds/$kind' })
  const { objects, error, hasMore, loadMore } = useAllObjects(kind, namespace)
  return (
    <div className="page">
      <nav className="crumbs" aria-label="Where this is">
        <Link to="/kinds">Kinds</Link>
      </nav>
      <div className="page-head">
        <h1>
          <Plain text={kind} />
        </h1>
        {objects !== undefined && (
          <span className="count">
            {objects.length}
            {hasMore ? '+' : ''}
          </span>
        )}
      </div>
      <Filters
        fields={byNamespace}
        values={search}
        onValues={(next) => void navigate({ search: next, replace: true })}
      />
      <ListFailure error={error} kind={kind} namespace={namespace} />
      {objects?.length === 0 && <p className="empty">There are none.</p>}
      {objects !== undefined && objects.length > 0 && <ObjectTable kind={kind} objects={objects} />}
      {hasMore && <Button onClick={loadMore}>Load more</Button>}
    </div>
  )
}

function ObjectTable({ kind, objects }: { kind: string; objects: readonly ApiObject[] }) {
  return (
    <Table label="Objects" columns={['State', 'Name', 'Namespace', 'Created', 'Why']}>
      {objects.map((object) => {
        const { name, namespace = '', uid, creationTimestamp } = object.metadata
        const { phase, message } = objectState(object)
        return (
          <tr key={uid}>
            <td>
              <Phase phase={phase} />
            </td>
            <td>
              <Link to="/kinds/$kind/$namespace/$name" params={{ kind, namespace, name }}>
                <Plain text={name} />
              </Link>
            </td>
            <td>
              <Plain text={namespace} />
            </td>
            <td>
              <Ago at={creationTimestamp} />
            </td>
            <td className="why">
              <Plain text={message} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}
