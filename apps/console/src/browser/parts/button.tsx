import type { ReactNode } from 'react'

interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly look?: 'main' | 'plain' | 'danger'
  readonly type?: 'button' | 'submit'
  readonly busy?: boolean
  /** Why it cannot be used now. It stays reachable by keyboard, so that the reason can be read. */
  readonly obstacle?: string | undefined
  readonly label?: string
  readonly pressed?: boolean
}

export function Button(props: ButtonProps) {
  const { children, onClick, look = 'plain', type = 'button', busy = false, obstacle } = props
  const isBlocked = busy || obstacle !== undefined
  return (
    <button
      type={type}
      className={`button ${look}`}
      aria-disabled={isBlocked}
      aria-label={props.label}
      aria-pressed={props.pressed}
      title={obstacle}
      onClick={(event) => {
        if (isBlocked) event.preventDefault()
        else onClick?.()
      }}
    >
      {children}
      {obstacle !== undefined && <span className="unseen">({obstacle})</span>}
    </button>
  )
}
