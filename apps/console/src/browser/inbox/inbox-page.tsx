import type { Delivery, DeliveryFilter } from '@agents/client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useConsoleData } from '../data/console-data.tsx'
import { Button } from '../parts/button.tsx'
import { type FilterField, Filters } from '../parts/filters.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { refetchMs, sourceKind } from './source-kind.ts'

const route = getRouteApi('/inbox')
const states = [
  ['', 'Any state'],
  ...['waiting', 'done', 'dead'].map((each) => [each, each] as const),
] as const
const fields: readonly FilterField<keyof DeliveryFilter>[] = [
  { name: 'namespace', label: 'Namespace', placeholder: 'all' },
  { name: 'source', label: 'Source', placeholder: 'all' },
  { name: 'state', label: 'State', options: states },
]
const pageSize = 100

/** Deliveries of issue trackers, newest first, and what became of them. */
export function InboxPage() {
  usePageTitle('Inbox')
  const filter = route.useSearch()
  const navigate = useNavigate({ from: '/inbox' })
  const { client } = useConsoleData()
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['deliveries', filter],
    queryFn: ({ pageParam, signal }) =>
      client.listDeliveries({ ...filter, limit: pageSize, before: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
    retry: false,
  })
  // What was listed before is not shown beside the refusal of another question.
  const deliveries = error === null ? data?.pages.flatMap(({ items }) => items) : undefined
  return (
    <div className="page">
      <div className="page-head">
        <h1>Inbox</h1>
        {deliveries !== undefined && (
          <span className="count">
            {deliveries.length}
            {hasNextPage ? '+' : ''}
          </span>
        )}
      </div>
      <p className="quiet">
        What issue trackers delivered to{' '}
        <Link to="/kinds/$kind" params={{ kind: sourceKind }}>
          ImplementationSources
        </Link>
        . One that failed too often is dead, and can be processed again.
      </p>
      <Filters
        fields={fields}
        values={filter}
        onValues={(next) => void navigate({ search: next, replace: true })}
      />
      <ListFailure error={error} kind={sourceKind} namespace={filter.namespace} />
      {deliveries?.length === 0 && <p className="empty">No delivery matches these filters.</p>}
      {deliveries !== undefined && deliveries.length > 0 && <Deliveries all={deliveries} />}
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>Load more</Button>}
    </div>
  )
}

function Deliveries({ all }: { readonly all: readonly Delivery[] }) {
  return (
    <Table
      label="Deliveries"
      columns={['State', 'About', 'Source', 'Sender', 'Received', 'Attempts', 'Why']}
    >
      {all.map((each) => (
        <Row key={each.id} delivery={each} />
      ))}
    </Table>
  )
}

function Row({ delivery }: { readonly delivery: Delivery }) {
  const { id, namespace, source, provider, event, subject, state } = delivery
  return (
    <tr>
      <td>
        <Phase phase={state} />
      </td>
      <td>
        <Link to="/inbox/$namespace/$delivery" params={{ namespace, delivery: id }}>
          <Plain text={subject === '' ? `delivery ${id}` : subject} />
        </Link>
      </td>
      <td>
        <Plain text={`${namespace} / ${source}`} />
      </td>
      <td>
        <Plain text={`${provider} ${event}`} />
      </td>
      <td>
        <Ago at={delivery.receivedAt} />
      </td>
      <td>{delivery.attempts}</td>
      <td className="why">
        <Plain text={delivery.reason} />
      </td>
    </tr>
  )
}
