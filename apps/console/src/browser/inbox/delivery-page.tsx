import type { Delivery } from '@agents/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { Button } from '../parts/button.tsx'
import { Facts } from '../parts/facts.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { FailureNotice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { refetchMs, sourceGroup, sourceKind, sourceResource } from './source-kind.ts'

const route = getRouteApi('/inbox/$namespace/$delivery')

/** A delivery, without its content, which may be of an issue that not everybody may read. */
export function DeliveryPage() {
  const { namespace, delivery: id } = route.useParams()
  usePageTitle(`Delivery ${id}`)
  const { client } = useConsoleData()
  const { data: delivery, error } = useQuery({
    queryKey: ['delivery', namespace, id],
    queryFn: ({ signal }) => client.getDelivery(namespace, id, signal),
    refetchInterval: refetchMs,
    retry: false,
  })
  return (
    <div className="page">
      <nav className="crumbs" aria-label="Where this is">
        <Link to="/inbox">Inbox</Link> <span aria-hidden="true">/</span>{' '}
        <Link to="/inbox" search={{ namespace }}>
          <Plain text={namespace} />
        </Link>
      </nav>
      <div className="page-head">
        <h1>
          <Plain text={`Delivery ${id}`} />
        </h1>
        {error === null && delivery !== undefined && (
          <>
            <Phase phase={delivery.state} />
            <Replay delivery={delivery} />
          </>
        )}
      </div>
      {error !== null && <FailureNotice what="It cannot be read:" error={error} />}
      {error === null && delivery !== undefined && <DeliveryFacts delivery={delivery} />}
    </div>
  )
}

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
  const { namespace, source, provider, event, reason } = delivery
  return (
    <>
      {reason !== undefined && (
        <p className={delivery.state === 'dead' ? 'outcome bad' : 'outcome'}>
          <Plain text={reason} />
        </p>
      )}
      <Facts
        items={[
          ['About', <Plain key="about" text={delivery.subject} />],
          [
            'Source',
            <Link
              key="source"
              to="/kinds/$kind/$namespace/$name"
              params={{ kind: sourceKind, namespace, name: source }}
            >
              <Plain text={source} />
            </Link>,
          ],
          ['Sender', <Plain key="sender" text={`${provider} ${event}`} />],
          ['Identifier of the sender', <Plain key="id" text={delivery.deliveryId} />],
          ['Size', `${delivery.sizeBytes.toLocaleString()} bytes`],
          ['Attempts', delivery.attempts],
          ['Received', <Ago key="received" at={delivery.receivedAt} />],
          ['Processed', delivery.processedAt && <Ago key="done" at={delivery.processedAt} />],
          ['Next attempt', delivery.nextAttemptAt],
        ]}
      />
    </>
  )
}

function Replay({ delivery }: { readonly delivery: Delivery }) {
  const { client, queries } = useConsoleData()
  const { namespace, source: name, id, state } = delivery
  const [mayUpdate] = useAccess([
    { verb: 'update', group: sourceGroup, resource: sourceResource, namespace, name },
  ])
  const replay = useMutation({
    mutationFn: () => client.replayDelivery(namespace, id),
    onSuccess: (replayed) => queries.setQueryData(['delivery', namespace, id], replayed),
  })
  const notDead = state === 'dead' ? undefined : 'only dead deliveries are processed again'
  return (
    <div className="actions">
      <Button
        look="main"
        busy={replay.isPending}
        obstacle={missingRight(mayUpdate) ?? notDead}
        onClick={() => replay.mutate()}
      >
        Process again
      </Button>
      {replay.error !== null && <FailureNotice what="Not replayed:" error={replay.error} />}
    </div>
  )
}
