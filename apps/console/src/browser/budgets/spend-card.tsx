import { Link } from '@tanstack/react-router'
import { useObjects } from '../data/use-objects.ts'
import { Plain } from '../parts/plain.tsx'
import { BudgetMeter } from './budget-meter.tsx'
import { budgetKind, budgetLines, fullness } from './budget-object.ts'

const shown = 4

/** The Budgets that are nearest to a limit. Those who may not list them in all namespaces see none. */
export function SpendCard() {
  const { objects = [] } = useObjects(budgetKind, undefined)
  if (objects.length === 0) return null
  const fullest = objects.toSorted((a, b) => fullness(b) - fullness(a)).slice(0, shown)
  return (
    <section className="card" aria-label="Spend">
      <div className="section-head">
        <h2>Spend</h2>
        <Link to="/budgets">
          {objects.length} <span className="unseen">Budgets</span>
        </Link>
      </div>
      {fullest.map((budget) => (
        <div key={budget.metadata.uid}>
          <strong>
            <Plain text={budget.metadata.name} />
          </strong>
          {budgetLines(budget).map((line) => (
            <BudgetMeter key={line.resource} line={line} />
          ))}
        </div>
      ))}
    </section>
  )
}
