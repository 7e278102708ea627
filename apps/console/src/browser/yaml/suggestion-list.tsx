import { useEffect, useRef } from 'react'
import { Plain } from '../parts/plain.tsx'
import type { Suggestion } from './completion.ts'

interface SuggestionListProps {
  readonly id: string
  readonly suggestions: readonly Suggestion[]
  readonly active: number | undefined
  readonly x: number
  readonly y: number
  readonly onTake: (suggestion: Suggestion) => void
}

/** What can be written, below the caret. The focus stays in the text. */
export function SuggestionList(props: SuggestionListProps) {
  const { id, suggestions, active, x, y, onTake } = props
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active !== undefined) list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const { detail = '', description = '' } = suggestions[active ?? 0] ?? {}
  return (
    <div className="suggestions" style={{ left: x, top: y }}>
      <div ref={list} id={id} role="listbox" aria-label="Suggestions" tabIndex={-1}>
        {suggestions.map((suggestion, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text, which names the active one.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text has the keys.
          <div
            key={suggestion.label}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            // The text keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onTake(suggestion)}
          >
            {suggestion.label}
          </div>
        ))}
      </div>
      <p>
        <span className="quiet">{detail}</span> <Plain text={description} />
      </p>
    </div>
  )
}

/** For those who do not see the list. */
export function suggestionCount(count: number | undefined): string {
  if (count === undefined) return ''
  return `${count === 1 ? '1 suggestion' : `${count} suggestions`}, arrow keys choose`
}
