import type { StreamState } from '@agents/client'
import { useStreamState } from '../data/console-data.tsx'
import { useNow } from '../parts/now.ts'
import { Plain } from '../parts/plain.tsx'

/** Whether what is shown is live. */
export function Connection() {
  const stream = useStreamState()
  const { tone, text } = looks(stream)
  return (
    <span className={`connection ${tone}`} role="status" data-state={stream.state}>
      <span className="connection-dot" aria-hidden="true" />
      {text}
    </span>
  )
}

function looks({ state }: StreamState): { readonly tone: string; readonly text: string } {
  if (state === 'live') return { tone: 'good', text: 'Live' }
  if (state === 'lost') return { tone: 'bad', text: 'Offline' }
  if (state === 'refused') return { tone: 'bad', text: 'Signed out' }
  return { tone: 'wait', text: 'Connecting' }
}

/** A line over the page while changes do not arrive. */
export function LostBanner() {
  const stream = useStreamState()
  if (stream.state !== 'lost') return null
  return (
    <div className="banner" role="alert">
      <strong>Connection lost.</strong> What is shown may be out of date:{' '}
      <Plain text={stream.reason} />. <Countdown until={stream.retryAt} />
    </div>
  )
}

function Countdown({ until }: { readonly until: number }) {
  const seconds = Math.ceil((until - useNow()) / 1000)
  return (
    <span aria-hidden="true">{seconds > 1 ? `Next try in ${seconds}s.` : 'Trying again…'}</span>
  )
}
