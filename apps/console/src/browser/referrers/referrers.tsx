import type { Referrer, ReferrersOfKind, RunKey } from '@agents/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useAskAgain } from '../data/ask-again.ts'
import { referrers, useConsoleData } from '../data/console-data.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { runKindOf } from '../parts/run-kinds.ts'
import { Table } from '../parts/table.tsx'
import { Ago } from '../parts/time.tsx'

interface ReferrersProps {
  /** `agents.agents.proompteng.ai` */
  readonly kind: string
  readonly objectKey: RunKey
}

/** The objects that refer to an object, of the kinds that the reader may list. */
export function Referrers({ kind, objectKey: { namespace, name } }: ReferrersProps) {
  const { client } = useConsoleData()
  const { timed, refetchInterval } = useAskAgain(kind)
  const { data, error } = useQuery({
    queryKey: [referrers, kind, namespace, name],
    queryFn: ({ signal }) => timed(() => client.listReferrers(kind, { namespace, name }, signal)),
    refetchInterval,
    retry: false,
  })
  if (error !== null) return <FailureNotice what="They cannot be listed:" error={error} />
  if (data === undefined) return <p className="empty">Loading…</p>
  const listed = data.filter(({ access }) => access === 'listed')
  const denied = data.filter(({ access }) => access === 'denied')
  return (
    <>
      {listed.length === 0 && (
        <p className="empty">
          {denied.length === 0
            ? 'Nothing refers to it.'
            : 'Nothing that you may list refers to it.'}
        </p>
      )}
      {listed.map((each) => (
        <OfKind key={each.kind} {...each} />
      ))}
      {denied.length > 0 && (
        <Notice tone="wait">
          You may not: list {denied.map((each) => each.kind).join(', ')} in{' '}
          <Plain text={`namespace ${namespace}.`} />
        </Notice>
      )}
    </>
  )
}

function OfKind({ kind, count, isComplete, items }: ReferrersOfKind) {
  return (
    <section aria-label={kind}>
      <div className="section-head">
        <h2>{kind}</h2>
        <span className="count">
          {count.toLocaleString()}
          {isComplete ? '' : '+'}
        </span>
      </div>
      {items.length < count && <p className="quiet">The newest {items.length} are shown.</p>}
      {!isComplete && <p className="quiet">There are too many of the kind to examine all.</p>}
      {items.length > 0 && (
        <Table label={`Objects of ${kind}`} columns={['State', 'Name', 'Created', 'By']}>
          {items.map((each) => (
            <Row key={each.uid} kind={kind} referrer={each} />
          ))}
        </Table>
      )}
    </section>
  )
}

function Row({ kind, referrer }: { readonly kind: string; readonly referrer: Referrer }) {
  const { phase, createdAt, fields } = referrer
  return (
    <tr>
      <td>{phase !== undefined && <Phase phase={phase} />}</td>
      <td>
        <ReferrerLink kind={kind} referrer={referrer} />
      </td>
      <td>
        <Ago at={createdAt} />
      </td>
      <td>
        <Plain text={fields.join(', ')} />
      </td>
    </tr>
  )
}

/** Objects of the cluster have no page. */
function ReferrerLink({ kind, referrer }: { readonly kind: string; readonly referrer: Referrer }) {
  const { namespace, name, uid } = referrer
  if (namespace === undefined) return <Plain text={name} />
  const run = runKindOf(kind)
  if (run === undefined) {
    return (
      <Link to="/kinds/$kind/$namespace/$name" params={{ kind, namespace, name }}>
        <Plain text={name} />
      </Link>
    )
  }
  return (
    <Link to="/runs/$namespace/$name" params={{ namespace, name }} search={{ kind: run, uid }}>
      <Plain text={name} />
    </Link>
  )
}
