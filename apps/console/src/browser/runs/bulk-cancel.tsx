import type { Act, RunSummary } from '@agents/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { Notice } from '../parts/notice.tsx'
import { Plain } from '../parts/plain.tsx'
import { resourceOf } from '../parts/run-kinds.ts'

const finished = ['Succeeded', 'Failed', 'Cancelled']

/** How many are cancelled at the same time. */
const together = 4

interface BulkCancelProps {
  /** The selected runs as they are now. */
  readonly runs: readonly RunSummary[]
  readonly onClear: () => void
}

/** What can be done with the selected runs. */
export function BulkCancel({ runs, onClear }: BulkCancelProps) {
  const { client } = useConsoleData()
  const [isAsking, setAsking] = useState(false)
  const open = runs.filter(({ phase, archived }) => !archived && !finished.includes(phase ?? ''))
  const missing = useAccess(actsOf(open)).flatMap((access) => missingRight(access) ?? [])
  const cancel = useMutation({
    mutationFn: () => cancelAll(open, (run) => client.cancelRun(run)),
    onSuccess: (failures) => {
      if (failures.length === 0) onClear()
    },
    onSettled: () => setAsking(false),
  })
  if (runs.length === 0) return null
  const obstacle = missing[0] ?? (open.length === 0 ? 'all of these have finished' : undefined)
  return (
    <section className="selection" aria-label="Selected runs">
      <span role="status">
        {runs.length} selected{open.length < runs.length && `, ${open.length} not finished`}
      </span>
      <Button
        look="danger"
        busy={cancel.isPending}
        obstacle={obstacle}
        onClick={() => setAsking(true)}
      >
        Cancel {open.length}
      </Button>
      <Button onClick={onClear}>Clear the selection</Button>
      {(cancel.data ?? []).length > 0 && <Failures failures={cancel.data ?? []} />}
      {isAsking && (
        <Dialog
          title={`Cancel ${open.length} ${open.length === 1 ? 'run' : 'runs'}?`}
          onClose={() => setAsking(false)}
          actions={
            <Button look="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel the runs
            </Button>
          }
        >
          <p>They are stopped and end as Cancelled. This cannot be undone.</p>
        </Dialog>
      )}
    </section>
  )
}

function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  return (
    <Notice tone="bad">
      <strong>{failures.length} not cancelled:</strong>{' '}
      {failures.slice(0, 3).map(({ run, reason }) => (
        <span key={run.uid}>
          <Plain text={`${run.name}: ${reason}`} />.{' '}
        </span>
      ))}
    </Notice>
  )
}

/** The right to cancel is asked for once per kind and namespace. */
function actsOf(runs: readonly RunSummary[]): readonly Act[] {
  const acts = runs.map(({ kind, namespace }): Act => {
    const { group, resource } = resourceOf(kind)
    return { verb: 'patch', group, resource, namespace }
  })
  const distinct = new Map(acts.map((act) => [JSON.stringify(act), act]))
  return [...distinct.values()].slice(0, 100)
}

interface Failure {
  readonly run: RunSummary
  readonly reason: string
}

async function cancelAll(
  runs: readonly RunSummary[],
  cancel: (run: RunSummary) => Promise<unknown>,
): Promise<readonly Failure[]> {
  const waiting = [...runs]
  const failures: Failure[] = []
  const work = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      try {
        await cancel(run)
      } catch (error) {
        failures.push({ run, reason: error instanceof Error ? error.message : 'unknown' })
      }
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return failures
}
