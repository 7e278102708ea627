import type { ApiObject } from '@agents/client'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { useObjects } from '../data/use-objects.ts'
import { Button } from '../parts/button.tsx'
import { Facts } from '../parts/facts.tsx'
import { TextField } from '../parts/field.tsx'
import { byNamespace, Filters } from '../parts/filters.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { FailureNotice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { objectState } from '../run/object-state.ts'
import { useSession } from '../session/session-gate.tsx'
import {
  type Decision,
  decisionKind,
  decisionOf,
  isOpen,
  requestKind,
  requestSpec,
} from './approval-request.ts'

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
  const { client, queries } = useConsoleData()
  const { who } = useSession()
  const [comment, setComment] = useState('')
  const { name, namespace = '' } = request.metadata
  const { subject = {}, policyRef, summary, requestedBy, deadline, digest } = requestSpec(request)
  const [mayDecide] = useAccess([
    {
      verb: 'create',
      group: 'approvals.proompteng.ai',
      resource: 'approvaldecisions',
      namespace,
    },
  ])
  const decide = useMutation({
    mutationFn: async (decision: Decision) => {
      const object = decisionOf(request, decision, comment, who)
      return await client.applyObject(
        decisionKind,
        { namespace, name: object.metadata.name },
        object,
      )
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['objects', requestKind] }),
  })
  const { kind = '', name: run = '', step } = subject
  const obstacle = missingRight(mayDecide) ?? (decide.isSuccess ? 'you have decided' : undefined)
  return (
    <article className="card" aria-label={`Request ${name}`}>
      <div className="page-head">
        <h2>
          <Plain text={name} />
        </h2>
        <Phase phase="Waiting" />
      </div>
      <Facts
        items={[
          [
            'Run',
            <Link
              key="run"
              to="/runs/$namespace/$name"
              params={{ namespace, name: run }}
              search={{ kind }}
            >
              <Plain text={`${kind} ${run}${step === undefined ? '' : `, step ${step}`}`} />
            </Link>,
          ],
          ['Requested by', requestedBy && <Plain text={requestedBy} />],
          ['Policy', policyRef?.name && <Plain text={policyRef.name} />],
          ['Deadline', deadline],
          ['Digest', digest && <code>{digest.slice(0, 16)}</code>],
        ]}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className="long-text" tabIndex={0}>
        <Plain text={summary} />
      </pre>
      {objectState(request).message !== undefined && (
        <p className="quiet">
          <Plain text={objectState(request).message} />
        </p>
      )}
      <div className="row">
        <TextField label="Comment" value={comment} onChange={setComment} placeholder="optional" />
        <Button
          look="main"
          busy={decide.isPending}
          obstacle={obstacle}
          onClick={() => decide.mutate('Approve')}
        >
          Approve
        </Button>
        <Button
          look="danger"
          busy={decide.isPending}
          obstacle={obstacle}
          onClick={() => decide.mutate('Deny')}
        >
          Deny
        </Button>
      </div>
      {decide.error !== null && <FailureNotice what="Not decided:" error={decide.error} />}
    </article>
  )
}
