import { ApiFailure, type ApiObject } from '@agents/client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { objectState } from '../run/object-state.ts'

const route = getRouteApi('/kinds/$kind')

/** The API reports changes of runs only; other objects are asked for again. */
const refetchMs = 5_000

export function ObjectsPage() {
  const { kind } = route.useParams()
  const { namespace = '' } = route.useSearch()
  const { client } = useConsoleData()
  usePageTitle(kind)
  const query = useInfiniteQuery({
    queryKey: ['objects', kind, namespace],
    queryFn: ({ pageParam, signal }) =>
      client.listObjects(
        kind,
        {
          limit: 200,
          ...(namespace !== '' && { namespace }),
          ...(pageParam !== '' && { continue: pageParam }),
        },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ metadata }) => metadata.continue || undefined,
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
    retry: false,
  })
  const { data, error, hasNextPage } = query
  const objects = data?.pages.flatMap(({ items }) => items) ?? []
  const isForbidden = error instanceof ApiFailure && error.status === 403
  return (
    <div className="page">
      <nav className="crumbs" aria-label="Where this is">
        <Link to="/kinds">Kinds</Link>
      </nav>
      <div className="page-head">
        <h1>
          <Plain text={kind} />
        </h1>
        {data !== undefined && (
          <span className="count">
            {objects.length}
            {hasNextPage ? '+' : ''}
          </span>
        )}
      </div>
      <NamespaceFilter namespace={namespace} />
      {isForbidden && namespace === '' ? (
        <Notice tone="wait">
          You may not list them in all namespaces. Name a namespace that you may read.
        </Notice>
      ) : (
        error !== null && <FailureNotice what="They cannot be listed:" error={error} />
      )}
      {data !== undefined && objects.length === 0 && <p className="empty">There are none.</p>}
      {objects.length > 0 && <ObjectTable kind={kind} objects={objects} />}
      {hasNextPage && <Button onClick={() => void query.fetchNextPage()}>Load more</Button>}
    </div>
  )
}

function NamespaceFilter({ namespace }: { readonly namespace: string }) {
  const navigate = useNavigate({ from: '/kinds/$kind' })
  const [typed, setTyped] = useState(namespace)
  useEffect(() => {
    if (typed === namespace) return
    const timer = setTimeout(() => {
      void navigate({ search: typed === '' ? {} : { namespace: typed }, replace: true })
    }, 250)
    return () => clearTimeout(timer)
  }, [typed, namespace, navigate])
  return (
    <search className="filters" aria-label="Filters of the list" data-search>
      <TextField label="Namespace" placeholder="all" value={typed} onChange={setTyped} />
    </search>
  )
}

function ObjectTable({ kind, objects }: { kind: string; objects: readonly ApiObject[] }) {
  return (
    <div className="table-box">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Name</th>
            <th scope="col">Namespace</th>
            <th scope="col">Created</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  )
}
