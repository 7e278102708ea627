import type { FoundRun } from '@agents/client'
import { conditionOf, isFinished, runObject } from '../parts/run-object.ts'
import { isOpen } from './approval-request.ts'
import { DecideButton } from './decision-dialog.tsx'
import { requestsAbout, useRunRequests } from './use-run-requests.ts'

/** That the whole run waits for an approval, which can be given here. */
export function RunApproval({ found }: { readonly found: FoundRun }) {
  const { namespace, name, uid, archived = false } = found.run
  const run = runObject(found.resource)
  const isWaiting =
    !archived && !isFinished(run) && conditionOf(run, 'Admitted')?.reason === 'WaitingForApproval'
  const { requests, obstacle } = useRunRequests(namespace, isWaiting)
  const own = requestsAbout(requests, uid)
  const count = own.filter(isOpen).length
  return (
    <div className="run-approval">
      {isWaiting && (
        <span>{count > 1 ? `It waits for ${count} approvals.` : 'It waits for an approval.'}</span>
      )}
      <DecideButton about={name} requests={own} obstacle={isWaiting ? obstacle : undefined} />
    </div>
  )
}
