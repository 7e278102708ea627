import { createHash } from 'node:crypto'

/** Which Job of a run; both count from 1. */
export interface AttemptOf {
  readonly stepIndex?: number
  readonly attempt: number
  /** Tells the Jobs of a kind of run from those of another one with the same name. If omitted, those of AgentRuns. */
  readonly ofKind?: 'tool' | undefined
}

/** Always the same for the same attempt, so that creating it twice finds the first. */
export function jobName(runName: string, of: AttemptOf): string {
  return nameOf(
    runName,
    ...(of.stepIndex === undefined ? [of.ofKind ?? 'job'] : []),
    ...suffixOf(of),
  )
}

/** Of an attempt's ConfigMap. */
export function configMapName(runName: string, what: 'spec' | 'inputs', of: AttemptOf): string {
  return nameOf(runName, what, ...suffixOf(of))
}

function suffixOf({ stepIndex, attempt }: AttemptOf): readonly string[] {
  if (stepIndex !== undefined) return ['step', `${stepIndex}`, 'attempt', `${attempt}`]
  return attempt === 1 ? [] : ['attempt', `${attempt}`]
}

/** The longest name that is also good for the label that pods of a Job carry. */
const longestName = 63

/** What had to be cut or changed gets a digest, so that no two runs share a name. */
function nameOf(runName: string, ...parts: readonly string[]): string {
  const suffix = parts.map((part) => `-${part}`).join('')
  if (/^[a-z0-9-]+$/.test(runName) && runName.length + suffix.length <= longestName) {
    return `${runName}${suffix}`
  }
  const digest = createHash('sha256').update(runName).digest('hex').slice(0, 8)
  const room = longestName - suffix.length - digest.length - 1
  const kept = runName.replaceAll(/[^a-z0-9-]/g, '-').slice(0, room)
  return `${kept.replace(/-+$/, '')}-${digest}${suffix}`
}
