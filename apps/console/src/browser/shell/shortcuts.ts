import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Where `g` followed by a key goes. */
export const places = {
  o: ['/', 'Overview'],
  r: ['/runs', 'Runs'],
  n: ['/new', 'New run'],
  a: ['/approvals', 'Approvals'],
  b: ['/budgets', 'Budgets'],
  m: ['/mirrors', 'Mirrors'],
  i: ['/inbox', 'Inbox'],
  k: ['/kinds', 'Kinds'],
  u: ['/audit', 'Audit'],
  c: ['/cluster', 'Cluster'],
} as const

/** How long after `g` the second key counts. */
const togetherMs = 1500

/** Keys of all pages. Fields keep theirs. */
export function useShortcuts(showHelp: () => void): void {
  const navigate = useNavigate()
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
      if (event.key === '?') showHelp()
      else if (event.key === '/') focusSearch(event)
      else if (event.key === 'g') wentAt = event.timeStamp
      else if (event.timeStamp - wentAt < togetherMs && Object.hasOwn(places, event.key)) {
        const [to] = places[event.key as keyof typeof places]
        void navigate({ to })
        wentAt = Number.NEGATIVE_INFINITY
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate, showHelp])
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) || target.isContentEditable)
  )
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>('[data-search] input, input[type=search]')
  if (field === null) return
  event.preventDefault()
  field.focus()
}
