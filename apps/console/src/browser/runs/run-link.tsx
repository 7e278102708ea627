import { type NavigateOptions, useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

interface RunLinkProps {
  readonly namespace: string
  readonly name: string
  readonly kind: string
  /** Several runs of the archive may have had the name. */
  readonly uid: string | undefined
  readonly children: ReactNode
}

/** A link to a run, for long lists: one of the router takes longer than all the rest of a row. */
export function RunLink({ namespace, name, kind, uid, children }: RunLinkProps) {
  const router = useRouter()
  const search = uid === undefined ? { kind } : { kind, uid }
  const query = new URLSearchParams(search).toString()
  const path = `/runs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const go = (event: MouseEvent): void => {
    const isForBrowser = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (isForBrowser || event.button !== 0 || event.defaultPrevented) return
    event.preventDefault()
    const to: NavigateOptions = {
      to: '/runs/$namespace/$name',
      params: { namespace, name },
      search,
    }
    void router.navigate(to)
  }
  return (
    <a href={`${path}?${query}`} onClick={go}>
      {children}
    </a>
  )
}
