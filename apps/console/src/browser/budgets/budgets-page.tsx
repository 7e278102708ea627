import type { ApiObject } from '@agents/client'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useObjects } from '../data/use-objects.ts'
import { Facts } from '../parts/facts.tsx'
import { byNamespace, Filters } from '../parts/filters.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { objectState } from '../parts/object-state.ts'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { BudgetMeter } from './budget-meter.tsx'
import { budgetKind, budgetLines, budgetOf, fullness } from './budget-object.ts'

const route = getRouteApi('/budgets')

/** What runs have used of each Budget, the fullest first. */
export function BudgetsPage() {
  usePageTitle('Budgets')
  const search = route.useSearch()
  const { namespace } = search
  const navigate = useNavigate({ from: '/budgets' })
  const { objects, error } = useObjects(budgetKind, namespace)
  const budgets = (objects ?? []).toSorted((a, b) => fullness(b) - fullness(a))
  return (
    <div className="page">
      <div className="page-head">
        <h1>Budgets</h1>
        {objects !== undefined && <span className="count">{budgets.length}</span>}
      </div>
      <Filters
        fields={byNamespace}
        values={search}
        onValues={(next) => void navigate({ search: next, replace: true })}
      />
      <ListFailure error={error} kind={budgetKind} namespace={namespace} />
      {objects !== undefined && budgets.length === 0 && (
        <p className="empty">There is no Budget: what runs may use is not limited.</p>
      )}
      <div className="budgets">
        {budgets.map((budget) => (
          <BudgetCard key={budget.metadata.uid} budget={budget} />
        ))}
      </div>
    </div>
  )
}

function BudgetCard({ budget }: { readonly budget: ApiObject }) {
  const { name, namespace = '' } = budget.metadata
  const { spec, status } = budgetOf(budget)
  const { phase, message } = objectState(budget)
  const agent = spec.scope?.agentRef?.name
  const labels = Object.entries(spec.scope?.labelSelector?.matchLabels ?? {})
  return (
    <article className="card" aria-label={`Budget ${name}`}>
      <div className="section-head">
        <h2>
          <Link to="/kinds/$kind/$namespace/$name" params={{ kind: budgetKind, namespace, name }}>
            <Plain text={name} />
          </Link>
        </h2>
        <Phase phase={phase} />
      </div>
      {budgetLines(budget).map((line) => (
        <BudgetMeter key={line.resource} line={line} />
      ))}
      {message !== undefined && phase !== 'Active' && (
        <p className="quiet">
          <Plain text={message} />
        </p>
      )}
      <Facts
        items={[
          ['Namespace', <Plain key="namespace" text={namespace} />],
          ['Counts', <Plain key="scope" text={scopeText(agent, labels)} />],
          ['At the limit', onExceeded[spec.onExceeded ?? 'Stop'] ?? spec.onExceeded],
          ['Active runs', status.activeRuns],
          ['Window', <Plain key="window" text={spec.window ?? 'none'} />],
          ['Ends', status.windowEndsAt && <Ago key="ends" at={status.windowEndsAt} />],
          [
            'Unpriced',
            status.unpricedTokens && `${Number(status.unpricedTokens).toLocaleString()} tokens`,
          ],
          ['Counted from', status.source && <Plain key="source" text={status.source} />],
        ]}
      />
      <p>
        <Link to="/runs" search={agent === undefined ? { namespace } : { namespace, agent }}>
          Its runs
        </Link>
      </p>
    </article>
  )
}

const onExceeded: Readonly<Record<string, string>> = {
  Stop: 'stops runs, new ones wait',
  Block: 'new runs wait',
  Warn: 'only warns',
}

function scopeText(
  agent: string | undefined,
  labels: readonly (readonly [string, string])[],
): string {
  if (agent !== undefined) return `runs of Agent ${agent}`
  if (labels.length === 0) return 'all runs of the namespace'
  return `runs with ${labels.map(([key, value]) => `${key}=${value}`).join(', ')}`
}
