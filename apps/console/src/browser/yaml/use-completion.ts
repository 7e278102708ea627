import { type KeyboardEvent, type RefObject, useState } from 'react'
import { type Completion, completionAt, type Suggestion } from './completion.ts'
import type { KindSchema } from './schema.ts'

interface OpenList extends Completion {
  /** The one that Enter takes. Undefined while somebody only types: Enter is a new line then. */
  readonly active: number | undefined
  /** Where the list belongs, in pixels from the corner of the field. */
  readonly x: number
  readonly y: number
}

interface CompletionState {
  readonly list: OpenList | undefined
  /** After each change of the text. */
  readonly onTyped: (field: HTMLTextAreaElement) => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  readonly take: (suggestion: Suggestion) => void
  readonly close: () => void
}

/** Suggestions while somebody writes, and with Ctrl+Space. */
export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  schema: KindSchema | undefined,
  onText: (text: string) => void,
): CompletionState {
  const [list, setList] = useState<OpenList>()
  const close = (): void => setList(undefined)
  const open = (at: HTMLTextAreaElement, active: number | undefined): void => {
    const { value, selectionStart, selectionEnd } = at
    const isCaret = selectionStart === selectionEnd
    const completion = schema && isCaret ? completionAt(value, selectionStart, schema) : undefined
    const { from = 0, suggestions = [] } = completion ?? {}
    const typed = value.slice(from, selectionStart)
    const isWhole = suggestions.length === 1 && suggestions[0]?.label === typed
    const isAsked = active !== undefined || typed !== ''
    const isOpen = suggestions.length > 0 && !isWhole && isAsked
    setList(isOpen ? { from, suggestions, active, ...caretOf(at, from) } : undefined)
  }
  const take = ({ insert }: Suggestion): void => {
    const { current } = field
    if (current === null || list === undefined) return
    current.focus()
    current.setSelectionRange(list.from, current.selectionEnd)
    // Unlike a new value of the field, this can be undone. A browser without it gets the new value.
    if (!document.execCommand('insertText', false, insert)) {
      onText(current.value.slice(0, list.from) + insert + current.value.slice(current.selectionEnd))
    }
    close()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      open(event.currentTarget, 0)
      return
    }
    if (list === undefined) return
    const { suggestions, active } = list
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const from = active ?? (step === 1 ? -1 : 0)
      setList({ ...list, active: (from + step + suggestions.length) % suggestions.length })
      return
    }
    const chosen = active === undefined ? undefined : suggestions[active]
    if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault()
      take(chosen)
    }
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
    // The caret leaves the place that the list is about.
    if (['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'].includes(event.key))
      close()
  }
  return { list, onTyped: (at) => open(at, undefined), onKeyDown, take, close }
}

const lineHeight = 18
const padding = 6
const listWidth = 260

/** Below the position in the field. */
function caretOf(field: HTMLTextAreaElement, position: number): { x: number; y: number } {
  const before = field.value.slice(0, position).split('\n')
  const column = before.at(-1)?.length ?? 0
  const x = field.offsetLeft + padding + column * letterWidth(field) - field.scrollLeft
  const y = field.offsetTop + padding + before.length * lineHeight - field.scrollTop
  const right = field.offsetLeft + field.clientWidth - listWidth
  const bottom = field.offsetTop + field.clientHeight
  return { x: Math.max(0, Math.min(x, right)), y: Math.max(0, Math.min(y, bottom)) }
}

/** The line and column of a point in the field, as a position in its text. */
export function positionAt(field: HTMLTextAreaElement, x: number, y: number): number {
  const line = Math.floor((y - padding + field.scrollTop) / lineHeight)
  const lines = field.value.split('\n')
  if (line < 0 || line >= lines.length) return -1
  const start = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0)
  const column = Math.round((x - padding + field.scrollLeft) / letterWidth(field))
  return start + Math.max(0, Math.min(column, lines[line]?.length ?? 0))
}

/** Letters of the field have one width. */
function letterWidth(field: HTMLTextAreaElement): number {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return 7
  context.font = getComputedStyle(field).font
  return context.measureText('0000000000').width / 10
}
