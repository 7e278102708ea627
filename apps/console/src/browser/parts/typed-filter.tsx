import { useEffect, useRef, useState } from 'react'
import { TextField } from './field.tsx'

/** Typing asks the server only when it pauses. */
const pauseMs = 250

interface TypedFilterProps {
  readonly label: string
  readonly value: string | undefined
  readonly placeholder?: string
  readonly type?: 'text' | 'search' | 'date'
  readonly onChange: (value: string) => void
}

/** A filter that is part of the address. */
export function TypedFilter(props: TypedFilterProps) {
  const { label, value = '', placeholder = 'any', type = 'text', onChange } = props
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    // The address has changed by other means, such as the back button.
    setKnown(value)
    setTyped(value)
  }
  // The pause is one in typing: a page that is drawn again meanwhile does not begin another.
  const change = useRef(onChange)
  change.current = onChange
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => change.current(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, value])
  return (
    <TextField
      label={label}
      value={typed}
      placeholder={placeholder}
      type={type}
      onChange={setTyped}
    />
  )
}
