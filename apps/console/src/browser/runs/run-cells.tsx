import type { RunSummary } from '@agents/client'
import type { ReactNode } from 'react'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import type { ColumnId } from './columns.ts'
import { RunLink } from './run-link.tsx'

/** What each column shows of a run. */
const contents: Readonly<Record<ColumnId, (run: RunSummary) => ReactNode>> = {
  phase: ({ phase }) => <Phase phase={phase} />,
  name: (run) => <RunName run={run} />,
  runs: ({ of, kind }) => (
    <>
      <Plain text={of} />
      {kind !== 'AgentRun' && <span className="tag">{kind.replace('Run', '')}</span>}
    </>
  ),
  kind: ({ kind }) => kind,
  namespace: ({ namespace }) => <Plain text={namespace} />,
  labels: ({ labels = {} }) => <Plain text={labelsText(labels)} />,
  created: ({ createdAt }) => <Ago at={createdAt} />,
  started: ({ startedAt }) => startedAt && <Ago at={startedAt} />,
  finished: ({ finishedAt }) => finishedAt && <Ago at={finishedAt} />,
  took: ({ startedAt, finishedAt }) => startedAt && <Duration from={startedAt} to={finishedAt} />,
  reason: ({ reason }) => <Plain text={reason} />,
  why: ({ phase, message }) => phase !== 'Succeeded' && <Plain text={message} />,
}

/** What is cut off is read when somebody points at it. */
const titles: Readonly<Partial<Record<ColumnId, (run: RunSummary) => string | undefined>>> = {
  why: ({ message }) => message,
  labels: ({ labels = {} }) => labelsText(labels),
}

interface RunCellsProps {
  readonly run: RunSummary
  readonly chosen: readonly ColumnId[]
}

export function RunCells({ run, chosen }: RunCellsProps) {
  return chosen.map((id) => (
    <td key={id} className={`cell ${id}`} title={titles[id]?.(run)}>
      {contents[id](run)}
    </td>
  ))
}

function RunName({ run }: { readonly run: RunSummary }) {
  const { kind, namespace, name, uid, archived } = run
  return (
    <>
      <RunLink {...{ namespace, name, kind }} uid={archived ? uid : undefined}>
        <Plain text={name} />
      </RunLink>
      {archived && <span className="tag">archived</span>}
    </>
  )
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => (value === '' ? label : `${label}=${value}`))
    .join(', ')
}
