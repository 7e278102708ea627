import type { ApiObject } from '@agents/client'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { changeSince, isOpen, requestSpec } from './approval-request.ts'
import { DecisionForm } from './decision-form.tsx'

interface DecideButtonProps {
  /** What is decided about, for those who only hear the button. */
  readonly about: string
  /** The requests about it, as they are now. */
  readonly requests: readonly ApiObject[]
  /** Why they cannot be read. */
  readonly obstacle?: string | undefined
}

/** Decides about an open request, in a window over the page. */
export function DecideButton({ about, requests, obstacle }: DecideButtonProps) {
  // The window shows what it showed when it was opened: a decision is about that, whatever happens meanwhile.
  const [shown, setShown] = useState<ApiObject>()
  const open = requests.filter(isOpen)
  const [first] = open
  return (
    <>
      {(first !== undefined || obstacle !== undefined) && (
        <Button label={`Decide about ${about}`} obstacle={obstacle} onClick={() => setShown(first)}>
          Decide
        </Button>
      )}
      {shown !== undefined && (
        <DecisionDialog
          about={about}
          shown={shown}
          requests={requests}
          onShow={setShown}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  )
}

interface DecisionDialogProps {
  readonly about: string
  readonly shown: ApiObject
  readonly requests: readonly ApiObject[]
  readonly onShow: (request: ApiObject) => void
  readonly onClose: () => void
}

function DecisionDialog({ about, shown, requests, onShow, onClose }: DecisionDialogProps) {
  const { uid, name } = shown.metadata
  const now = requests.find(({ metadata }) => metadata.uid === uid)
  const change = changeSince(shown, now)
  const other = requests.find((each) => isOpen(each) && changeSince(each, each) === undefined)
  const next = other?.metadata.uid === uid ? undefined : other
  const policy = requestSpec(shown).policyRef?.name ?? ''
  return (
    <Dialog
      title={`Decide about ${about}`}
      isWide
      onClose={onClose}
      actions={
        next !== undefined && (
          <Button onClick={() => onShow(next)}>
            {change === undefined ? 'Show the next request' : 'Show the new request'}
          </Button>
        )
      }
    >
      <DecisionForm key={uid ?? `${name} ${policy}`} request={shown} change={change} withDiff />
    </Dialog>
  )
}
