import { type GitTarget, gitTargetConditions } from '@agents/gittarget-api'
import { shortDuration } from '../cli/duration.ts'
import type { Style } from '../cli/style.ts'
import { columns, indented } from '../cli/text-table.ts'

/** Renders the status of a mirror: its conditions in order, and what has been pushed. */
export function renderTarget(target: GitTarget, style: Style, now: Date): string {
  const { metadata, spec, status } = target
  const { phase = 'PENDING' } = status ?? {}
  const title = `${style.bold(metadata.name)} in ${metadata.namespace ?? ''}: ${phase}`
  const place = `${spec.providerRef.name}, branch ${spec.branch}, folder ${spec.path}`
  return `${title}\n${indented(`${place}\n${gates(target, style)}${pushes(target, now)}`, 2)}`
}

function gates({ status }: GitTarget, style: Style): string {
  const rows = gitTargetConditions.gates.map(({ type }) => {
    const found = status?.conditions?.find((one) => one.type === type)
    const answer = marks(style)[found?.status ?? 'Unknown']
    return [answer, type, found?.reason ?? 'NotChecked', found?.message ?? '']
  })
  return columns(rows)
}

function marks(style: Style) {
  return { True: style.good('yes '), False: style.warn('no  '), Unknown: style.dim('open') }
}

function pushes({ status, spec }: GitTarget, now: Date): string {
  const { lastCommit, lastPushTime, pendingChanges = 0, lastError } = status?.push ?? {}
  const ago =
    lastPushTime === undefined
      ? ''
      : `, pushed ${shortDuration(now.getTime() - Date.parse(lastPushTime))} ago`
  const lines = [
    lastCommit === undefined ? 'nothing pushed yet' : `commit ${lastCommit}${ago}`,
    ...waiting(Number(pendingChanges)),
    ...(lastError ? [`last error: ${lastError}`] : []),
    ...(spec.suspend ? ['suspended: nothing is written while spec.suspend is true'] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function waiting(count: number): string[] {
  if (count === 0) return []
  return [count === 1 ? '1 change to be pushed' : `${count} changes to be pushed`]
}
