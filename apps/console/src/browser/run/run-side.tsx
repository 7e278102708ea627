import type { FoundRun } from '@agents/client'
import { Link } from '@tanstack/react-router'
import { Facts } from '../parts/facts.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { conditionOf, type RunObject } from '../parts/run-object.ts'
import { Ago, Duration } from '../parts/time.tsx'
import { RunRepository } from './run-repository.tsx'

/** Facts of the run, beside whatever is read of it. */
export function RunSide({ run, found }: { readonly run: RunObject; readonly found: FoundRun }) {
  const { status } = run
  const { kind, of, namespace, createdAt } = found.run
  const { usage, queue } = status
  return (
    <aside className="run-side" aria-label="Facts">
      <Facts
        items={[
          ['Kind', kind],
          [ranKind(kind), <RanBy key="of" kind={kind} of={of} namespace={namespace} />],
          ['Created', <Ago key="created" at={createdAt} />],
          ['Took', <Duration key="took" from={status.startedAt} to={status.finishedAt} />],
          ['Attempts', status.attempts],
          ['Failure', status.failureClass && <Plain text={status.failureClass} />],
          ['Next try', status.nextRetryAt && <Plain text={status.nextRetryAt} />],
          ['Queue', queue?.position ? `position ${queue.position}` : undefined],
        ]}
      />
      <Timeline run={run} found={found} />
      <Steps run={run} />
      {usage !== undefined && (
        <section>
          <h2>Usage</h2>
          <Facts
            items={[
              ['Input', tokens(usage.inputTokens)],
              ['Cached', tokens(usage.cachedInputTokens)],
              ['Output', tokens(usage.outputTokens)],
              ['Total', tokens(usage.totalTokens)],
              ['Cost', usage.dollars === undefined ? undefined : `$${usage.dollars}`],
            ]}
          />
        </section>
      )}
      <RunRepository vcs={status.vcs} />
      {(status.warnings ?? []).length > 0 && (
        <section>
          <h2>Warnings</h2>
          <ul className="warnings">
            {status.warnings?.map((warning) => (
              <li key={warning}>
                <Plain text={warning} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  )
}

function ranKind(kind: string): string {
  return kind.replace('Run', '')
}

interface RanByProps {
  readonly kind: string
  readonly of: string | undefined
  readonly namespace: string
}

/** Leads to the other runs of the same. */
function RanBy({ kind, of, namespace }: RanByProps) {
  if (of === undefined || kind !== 'AgentRun') return <Plain text={of} />
  return (
    <Link to="/runs" search={{ agent: of, namespace }}>
      <Plain text={of} />
    </Link>
  )
}

function tokens(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${count.toLocaleString()} tokens`
}

const gates = ['Accepted', 'Approved', 'Admitted', 'Started', 'Finished']

/** When the run passed each gate. */
function Timeline({ run, found }: { readonly run: RunObject; readonly found: FoundRun }) {
  const passed = gates.flatMap((type) => conditionOf(run, type) ?? [])
  return (
    <section>
      <h2>Timeline</h2>
      <ol className="timeline">
        <li className="done">
          Created <Ago at={found.run.createdAt} />
        </li>
        {passed.map(({ type, status, lastTransitionTime, message }) => (
          <li key={type} className={status === 'True' ? 'done' : 'open'} title={message}>
            <Plain text={type} />{' '}
            {status === 'True' ? <Ago at={lastTransitionTime} /> : <span>not yet</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Steps({ run }: { readonly run: RunObject }) {
  const steps = run.status.workflow?.steps ?? []
  if (steps.length === 0) return null
  return (
    <section>
      <h2>Steps</h2>
      <ol className="steps">
        {steps.map(({ name, phase, attempt, startedAt, finishedAt, message }) => (
          <li key={name} title={message}>
            <Phase phase={phase} />
            <span className="step-name">
              <Plain text={name} />
            </span>
            {attempt !== undefined && attempt > 1 && <span className="tag">attempt {attempt}</span>}
            {startedAt !== undefined && (
              <span className="quiet">
                <Duration from={startedAt} to={finishedAt} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
