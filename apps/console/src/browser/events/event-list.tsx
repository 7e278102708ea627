import type { EventRecord, RunKey } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { useConsoleData } from '../data/console-data.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'

const refetchMs = 5_000

interface EventListProps {
  /** `agentruns.agents.proompteng.ai` */
  readonly kind: string
  readonly objectKey: RunKey
}

/** What the cluster reports of an object, newest first. */
export function EventList({ kind, objectKey }: EventListProps) {
  const { client } = useConsoleData()
  const { namespace, name } = objectKey
  const { data, error } = useQuery({
    queryKey: ['events', kind, namespace, name],
    queryFn: ({ signal }) => client.listEvents(kind, { namespace, name }, signal),
    refetchInterval: refetchMs,
    retry: false,
  })
  if (error !== null) return <ListFailure {...{ error, namespace }} kind="events" />
  if (data === undefined) return <p className="empty">Loading…</p>
  if (data.length === 0) {
    return <p className="empty">There are no events. Clusters keep them for about an hour.</p>
  }
  return (
    <ol className="checks">
      {data.map((event) => (
        <EventRow key={event.uid} event={event} />
      ))}
    </ol>
  )
}

function EventRow({ event }: { readonly event: EventRecord }) {
  const { type, reason, message, count, lastAt, from } = event
  return (
    <li className="check">
      <Phase phase={type} />
      <div>
        <strong>
          <Plain text={reason} />
        </strong>{' '}
        {count > 1 && <span className="tag">{count} times</span>}{' '}
        <span className="quiet">
          <Ago at={lastAt} />
          {from !== undefined && (
            <>
              {' '}
              · <Plain text={from} />
            </>
          )}
        </span>
        <p>
          <Plain text={message} />
        </p>
      </div>
    </li>
  )
}
