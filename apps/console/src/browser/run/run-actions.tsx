import type { FoundRun, RunKey } from '@agents/client'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useConsoleData } from '../data/console-data.tsx'
import { useAccess } from '../data/use-access.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { missingRight } from '../parts/missing-right.ts'
import { FailureNotice } from '../parts/notice.tsx'
import { Plain } from '../parts/plain.tsx'
import { resourceOf } from '../parts/run-kinds.ts'
import { agentctlCommand, kubectlCommand } from './commands.ts'

interface RunActionsProps {
  readonly found: FoundRun
  readonly isFinished: boolean
  readonly isDeleted: boolean
}

/** What can be done with the run. */
export function RunActions({ found, isFinished, isDeleted }: RunActionsProps) {
  const { client, queries } = useConsoleData()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const { kind, namespace, name } = found.run
  const key: RunKey = { kind, namespace, name }
  const { group, resource } = resourceOf(kind)
  const [mayCancel, mayCreate] = useAccess([
    { verb: 'patch', group, resource, namespace, name },
    { verb: 'create', group, resource, namespace },
  ])
  const isCancelled = (found.resource.spec as { readonly cancel?: boolean } | undefined)?.cancel
  const cancel = useMutation({
    mutationFn: () => client.cancelRun(key),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['run', kind, namespace, name] }),
    onSettled: () => setAsking(false),
  })
  const rerun = useMutation({
    mutationFn: () => client.repeatRun(key),
    onSuccess: ({ run }) =>
      navigate({
        to: '/runs/$namespace/$name',
        params: { namespace: run.namespace, name: run.name },
        search: { kind: run.kind },
      }),
  })
  const gone = isDeleted
    ? 'the run is deleted'
    : found.run.archived
      ? 'the run is in the archive only'
      : undefined
  return (
    <div className="actions">
      {!isFinished && (
        <Button
          look="danger"
          busy={cancel.isPending}
          obstacle={
            gone ?? missingRight(mayCancel) ?? (isCancelled ? 'it is being cancelled' : undefined)
          }
          onClick={() => setAsking(true)}
        >
          {isCancelled ? 'Cancelling…' : 'Cancel'}
        </Button>
      )}
      {isFinished && (
        <Button
          busy={rerun.isPending}
          obstacle={gone ?? missingRight(mayCreate)}
          onClick={() => rerun.mutate()}
        >
          Run again
        </Button>
      )}
      <CopyButton text={kubectlCommand(found.run)} label="kubectl" />
      <CopyButton text={agentctlCommand(found.run)} label="agentctl" />
      {cancel.error !== null && <FailureNotice what="Not cancelled:" error={cancel.error} />}
      {rerun.error !== null && <FailureNotice what="Not started:" error={rerun.error} />}
      {isAsking && (
        <Dialog
          title="Cancel this run?"
          onClose={() => setAsking(false)}
          actions={
            <Button look="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel the run
            </Button>
          }
        >
          <p>
            <Plain text={name} /> is stopped and ends as Cancelled. This cannot be undone.
          </p>
        </Dialog>
      )}
    </div>
  )
}
