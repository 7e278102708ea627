import { Icon, type IconName } from './icon.tsx'
import { Plain } from './plain.tsx'

/** How a phase looks: the icon differs as well, since not everybody sees the colours. */
const looks: Readonly<Record<string, { readonly tone: string; readonly icon: IconName }>> = {
  Succeeded: { tone: 'good', icon: 'succeeded' },
  Ready: { tone: 'good', icon: 'succeeded' },
  Completed: { tone: 'good', icon: 'succeeded' },
  Normal: { tone: 'quiet', icon: 'succeeded' },
  Active: { tone: 'good', icon: 'succeeded' },
  RUNNING: { tone: 'good', icon: 'succeeded' },
  allowed: { tone: 'good', icon: 'succeeded' },
  done: { tone: 'good', icon: 'succeeded' },
  Approved: { tone: 'good', icon: 'succeeded' },
  Failed: { tone: 'bad', icon: 'failed' },
  Invalid: { tone: 'bad', icon: 'failed' },
  Exceeded: { tone: 'bad', icon: 'failed' },
  DEGRADED: { tone: 'bad', icon: 'failed' },
  denied: { tone: 'bad', icon: 'failed' },
  dead: { tone: 'bad', icon: 'failed' },
  failed: { tone: 'bad', icon: 'failed' },
  Stalled: { tone: 'bad', icon: 'failed' },
  Denied: { tone: 'bad', icon: 'failed' },
  Running: { tone: 'live', icon: 'running' },
  Retrying: { tone: 'live', icon: 'running' },
  Expired: { tone: 'quiet', icon: 'cancelled' },
  Cancelled: { tone: 'quiet', icon: 'cancelled' },
  Skipped: { tone: 'quiet', icon: 'cancelled' },
}

const waiting = { tone: 'wait', icon: 'pending' } as const

/** The phase of a run or step, as an icon and a word. */
export function Phase({ phase = 'New' }: { readonly phase?: string | undefined }) {
  const { tone, icon } = (Object.hasOwn(looks, phase) ? looks[phase] : undefined) ?? waiting
  return (
    <span className={`phase ${tone}`}>
      <span className="phase-dot">
        <Icon name={icon} size={14} />
      </span>
      <Plain text={phase} />
    </span>
  )
}
