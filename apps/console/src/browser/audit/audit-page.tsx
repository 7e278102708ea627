import { ApiFailure, type AuditFilter } from '@agents/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useConsoleData } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { type FilterField, Filters } from '../parts/filters.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { AuditTable } from './audit-table.tsx'
import { AuditVerification } from './audit-verification.tsx'

const route = getRouteApi('/audit')
const outcomes = [
  ['', 'Any outcome'],
  ...['allowed', 'denied', 'failed'].map((each) => [each, each] as const),
] as const
const fields: readonly FilterField<keyof AuditFilter>[] = [
  { name: 'actor', label: 'Caller' },
  { name: 'action', label: 'Operation', placeholder: 'submitRun' },
  { name: 'namespace', label: 'Namespace' },
  { name: 'outcome', label: 'Outcome', options: outcomes },
]
const pageSize = 200

/** What callers of the API did, newest first. */
export function AuditPage() {
  usePageTitle('Audit')
  const filter = route.useSearch()
  const navigate = useNavigate({ from: '/audit' })
  const { client } = useConsoleData()
  const query = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      client.listAudit({ ...filter, limit: pageSize, before: pageParam }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    retry: false,
  })
  const { data, error, hasNextPage } = query
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  const isForbidden = error instanceof ApiFailure && error.status === 403
  return (
    <div className="page">
      <div className="page-head">
        <h1>Audit</h1>
        {data !== undefined && (
          <span className="count">
            {entries.length}
            {hasNextPage ? '+' : ''}
          </span>
        )}
        <div className="actions">
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            Read again
          </Button>
        </div>
      </div>
      {isForbidden ? (
        <Notice tone="wait">
          You may not: list auditevents.agents.proompteng.ai in the cluster.
        </Notice>
      ) : (
        <>
          <AuditVerification />
          <Filters
            fields={fields}
            values={filter}
            onValues={(next) => void navigate({ search: next, replace: true })}
          />
          {error !== null && <FailureNotice what="The audit cannot be read:" error={error} />}
          {data !== undefined && entries.length === 0 && (
            <p className="empty">No entry matches these filters.</p>
          )}
          {entries.length > 0 && <AuditTable entries={entries} />}
          {hasNextPage && <Button onClick={() => void query.fetchNextPage()}>Load more</Button>}
        </>
      )}
    </div>
  )
}
