import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly actions?: ReactNode
  /** For texts that are read in it. */
  readonly isWide?: boolean
}

/** A window over the page. Escape closes it; the browser keeps the focus inside. */
export function Dialog({ title, onClose, children, actions, isWide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    ref.current?.showModal()
  }, [])
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog wide' : 'dialog'}
      aria-label={title}
      onClose={onClose}
    >
      <h2>{title}</h2>
      {children}
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
        {actions}
      </div>
    </dialog>
  )
}
