import { Icon } from '../parts/icon.tsx'
import { Plain } from '../parts/plain.tsx'
import type { Condition, RunObject } from '../parts/run-object.ts'
import { Ago } from '../parts/time.tsx'

/** Those that fold others, or are there for other tools. */
const summaries = ['Succeeded', 'Ready', 'Reconciling', 'Stalled']

/** The conditions of an object in the order in which they are checked, in words. */
export function RunChecks({ run }: { readonly run: RunObject }) {
  const conditions = (run.status.conditions ?? [])
    .filter(({ type }) => !summaries.includes(type))
    .sort((a, b) => Number(a.type === 'Finished') - Number(b.type === 'Finished'))
  if (conditions.length === 0) return <p className="empty">No controller has seen it yet.</p>
  return (
    <ol className="checks">
      {conditions.map((condition) => (
        <CheckRow key={condition.type} condition={condition} />
      ))}
    </ol>
  )
}

const answers = {
  True: { word: 'yes', tone: 'good', icon: 'succeeded' },
  False: { word: 'no', tone: 'wait', icon: 'failed' },
  Unknown: { word: 'open', tone: 'quiet', icon: 'pending' },
} as const

function CheckRow({ condition }: { readonly condition: Condition }) {
  const { type, status, reason, message, lastTransitionTime } = condition
  const { word, tone, icon } = answers[status as keyof typeof answers] ?? answers.Unknown
  return (
    <li className="check">
      <span className={`phase ${tone}`}>
        <span className="phase-dot">
          <Icon name={icon} size={14} />
        </span>
        {word}
      </span>
      <div>
        <strong>
          <Plain text={type} />
        </strong>{' '}
        <span className="quiet">
          <Plain text={reason} /> · <Ago at={lastTransitionTime} />
        </span>
        {message !== undefined && message !== '' && (
          <p>
            <Plain text={message} />
          </p>
        )}
      </div>
    </li>
  )
}
