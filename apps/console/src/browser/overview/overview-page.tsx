import type { RunFilter, RunSummary } from '@agents/client'
import { Link } from '@tanstack/react-router'
import { WaitingForYou } from '../approvals/waiting-for-you.tsx'
import { SpendCard } from '../budgets/spend-card.tsx'
import { useRuns } from '../data/use-runs.ts'
import { FailureNotice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'

const running: RunFilter = { phase: 'Running' }
const pending: RunFilter = { phase: 'Pending' }
const failed: RunFilter = { phase: 'Failed' }

/** What runs, what waits and for what, and what failed lately. */
export function OverviewPage() {
  usePageTitle('Overview')
  return (
    <div className="page">
      <div className="page-head">
        <h1>Overview</h1>
      </div>
      <WaitingForYou />
      <div className="overview">
        <RunCard title="Running" filter={running} empty="Nothing runs." />
        <RunCard title="Waiting" filter={pending} empty="Nothing waits." />
        <RunCard title="Failed lately" filter={failed} empty="Nothing failed." />
        <SpendCard />
      </div>
    </div>
  )
}

interface RunCardProps {
  readonly title: string
  readonly filter: RunFilter
  readonly empty: string
}

const shown = 8

function RunCard({ title, filter, empty }: RunCardProps) {
  const { runs, isLoading, error, hasMore } = useRuns(filter)
  const { phase = '' } = filter
  return (
    <section className="card" aria-label={title}>
      <div className="section-head">
        <h2>{title}</h2>
        <Link to="/runs" search={{ phase }}>
          {runs.length}
          {hasMore ? '+' : ''} <span className="unseen">{title}</span>
        </Link>
      </div>
      {error !== null && <FailureNotice what="Not listed:" error={error} />}
      {!isLoading && runs.length === 0 && <p className="quiet">{empty}</p>}
      <ul className="plain-list">
        {runs.slice(0, shown).map((run) => (
          <RunLine key={run.uid} run={run} />
        ))}
      </ul>
    </section>
  )
}

function RunLine({ run }: { readonly run: RunSummary }) {
  const { kind, namespace, name, phase, message, createdAt, startedAt, finishedAt } = run
  return (
    <li className="run-line">
      <Phase phase={phase} />
      <Link to="/runs/$namespace/$name" params={{ namespace, name }} search={{ kind }}>
        <Plain text={name} />
      </Link>
      <span className="quiet">
        {phase === 'Running' ? (
          <Duration from={startedAt} to={finishedAt} />
        ) : (
          <Ago at={finishedAt ?? createdAt} />
        )}
      </span>
      {phase !== 'Running' && (
        <p className="quiet">
          <Plain text={message} />
        </p>
      )}
    </li>
  )
}
