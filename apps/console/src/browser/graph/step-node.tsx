import type { ApiObject, FoundRun } from '@agents/client'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { DecideButton } from '../approvals/decision-dialog.tsx'
import { requestsAbout } from '../approvals/use-run-requests.ts'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { Button } from '../parts/button.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { resourceOf } from '../parts/run-kinds.ts'
import { Duration } from '../parts/time.tsx'
import type { StepStatus } from './graph.ts'
import type { GraphStep } from './layout.ts'

interface StepNodeProps extends GraphStep {
  readonly status: StepStatus | undefined
  readonly found: FoundRun
  readonly isFinished: boolean
  readonly requests: readonly ApiObject[]
  /** Why the requests cannot be read. */
  readonly obstacle: string | undefined
}

/** A step: its run, how far it is, and what can be done there. */
export function StepNode(props: StepNodeProps) {
  const { name, dependsOn, status, found, isFinished, obstacle } = props
  const { namespace, uid } = found.run
  const { resourceRef, startedAt, finishedAt, attempt = 1 } = status ?? {}
  const child = resourceRef?.name
  const isRun = child !== undefined && /Run$/.test(resourceRef?.kind ?? '')
  const requests = [
    ...requestsAbout(props.requests, uid, name),
    ...[resourceRef, ...(status?.items ?? []).map((item) => item.resourceRef)].flatMap((ref) =>
      requestsAbout(props.requests, ref?.uid),
    ),
  ]
  const isGate = status?.kind === 'ApprovalGate' && status.phase === 'Running'
  return (
    <>
      <div className="step-title">
        {isRun ? (
          <Link
            to="/runs/$namespace/$name"
            params={{ namespace, name: child }}
            search={{ ...(resourceRef?.kind !== undefined && { kind: resourceRef.kind }) }}
          >
            <Plain text={name} />
          </Link>
        ) : (
          <Plain text={name} />
        )}
        {dependsOn.length > 0 && <span className="unseen">after {dependsOn.join(', ')}</span>}
        {isFinished && status?.phase !== undefined && <RunAgain name={name} found={found} />}
        <DecideButton
          about={`step ${name}`}
          requests={requests}
          obstacle={isGate && !isFinished ? obstacle : undefined}
        />
      </div>
      <div className="step-state">
        <Phase phase={status?.phase ?? 'Pending'} />
        <span className="quiet">
          {attempt > 1 && `attempt ${attempt} · `}
          {startedAt !== undefined && <Duration from={startedAt} to={finishedAt} />}
        </span>
      </div>
    </>
  )
}

function RunAgain({ name, found }: { readonly name: string; readonly found: FoundRun }) {
  const { client } = useConsoleData()
  const navigate = useNavigate()
  const { kind, namespace, archived = false } = found.run
  const { group, resource } = resourceOf(kind)
  const [mayCreate] = useAccess([{ verb: 'create', group, resource, namespace }])
  const rerun = useMutation({
    mutationFn: () => client.repeatRun({ kind, namespace, name: found.run.name }, [name]),
    onSuccess: ({ run }) =>
      navigate({
        to: '/runs/$namespace/$name',
        params: { namespace: run.namespace, name: run.name },
        search: { kind: run.kind },
      }),
  })
  return (
    <Button
      label={`Run again from ${name}`}
      busy={rerun.isPending}
      obstacle={
        (archived ? 'the run is in the archive only' : missingRight(mayCreate)) ??
        rerun.error?.message
      }
      onClick={() => rerun.mutate()}
    >
      ↻
    </Button>
  )
}
