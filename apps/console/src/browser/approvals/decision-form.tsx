import type { ApiObject } from '@agents/client'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Facts } from '../parts/facts.tsx'
import { TextField } from '../parts/field.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { objectState } from '../parts/object-state.ts'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { requestSpec } from './approval-request.ts'
import { useDecision } from './use-decision.ts'

const ApprovedDiff = lazy(() => import('./approved-diff.tsx'))

interface DecisionFormProps {
  readonly request: ApiObject
  /** Why it can no longer be decided. */
  readonly change?: string | undefined
  /** Whether the comparison is there at once, and not when it is opened. */
  readonly withDiff?: boolean
}

/** What exactly would be approved, what is new in it, and the decision. */
export function DecisionForm({ request, change, withDiff = false }: DecisionFormProps) {
  const [comment, setComment] = useState('')
  const [isCompared, setCompared] = useState(withDiff)
  const { decide, isBusy, error, outcome, obstacles } = useDecision(request)
  const isGone = outcome === undefined ? change : undefined
  const { message } = objectState(request)
  return (
    <>
      <RequestFacts request={request} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className="long-text" tabIndex={0}>
        <Plain text={requestSpec(request).summary} />
      </pre>
      <details
        className="compared"
        open={isCompared}
        onToggle={({ currentTarget: { open } }) => setCompared(open)}
      >
        <summary>What changed since the last approval</summary>
        {isCompared && (
          <Suspense fallback={<p className="quiet">Loading…</p>}>
            <ApprovedDiff request={request} />
          </Suspense>
        )}
      </details>
      {message !== undefined && outcome === undefined && (
        <p className="quiet">
          <Plain text={message} />
        </p>
      )}
      {isGone !== undefined && (
        <Notice tone="wait">
          It can no longer be decided: <Plain text={isGone} />
        </Notice>
      )}
      <div className="row">
        <TextField label="Comment" value={comment} onChange={setComment} placeholder="optional" />
        <Button
          look="main"
          busy={isBusy}
          obstacle={obstacles.approve ?? isGone}
          onClick={() => decide('Approve', comment)}
        >
          Approve
        </Button>
        <Button
          look="danger"
          busy={isBusy}
          obstacle={obstacles.deny ?? isGone}
          onClick={() => decide('Deny', comment)}
        >
          Deny
        </Button>
      </div>
      {outcome !== undefined && <Notice>{outcome}</Notice>}
      {error !== null && <FailureNotice what="Not decided:" error={error} />}
    </>
  )
}

function RequestFacts({ request }: { readonly request: ApiObject }) {
  const { namespace = '' } = request.metadata
  const { subject = {}, policyRef, requestedBy, deadline, digest } = requestSpec(request)
  const { kind = '', name: run = '', step } = subject
  return (
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
        ['Asked', <Ago key="asked" at={request.metadata.creationTimestamp} />],
        ['Deadline', deadline],
        ['Digest', digest && <code title={digest}>{digest.slice(0, 16)}</code>],
      ]}
    />
  )
}
