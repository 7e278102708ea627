import { Plain } from '../parts/plain.tsx'
import type { budgetLines } from './budget-object.ts'

type Line = ReturnType<typeof budgetLines>[number]

/** What is used of a limit, as a bar and in figures. */
export function BudgetMeter({ line }: { readonly line: Line }) {
  const { resource, used, limit, reserved, share, held } = line
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'wait' : 'good'
  return (
    <div className="meter">
      <span className="meter-name">{resource}</span>
      <span className={`meter-bar ${tone}`} aria-hidden="true">
        <span className="meter-used" style={{ width: `${share * 100}%` }} />
        <span className="meter-held" style={{ width: `${held * 100}%` }} />
      </span>
      <span className="meter-figures">
        <Plain text={`${amount(resource, used)} of ${amount(resource, limit)}`} />
        {reserved !== undefined && reserved !== '0' && (
          <span className="quiet">
            , <Plain text={`${amount(resource, reserved)} reserved`} />
          </span>
        )}
      </span>
    </div>
  )
}

function amount(resource: string, text: string): string {
  if (resource === 'dollars') return `$${text}`
  return resource === 'tokens' && /^\d+$/.test(text) ? Number(text).toLocaleString() : text
}
