import type { PlannedObject } from '@agents/gittarget'
import { lineDiff } from '../mirror/line-diff.ts'

/** What a restore would change, as text: `-` marks what the cluster has, `+` what it would have. */
export function renderPlan(plan: readonly PlannedObject[]): string {
  return plan
    .filter(({ action, isConflict }) => isConflict || action === 'create' || action === 'change')
    .map((each) => {
      const { path, before = '', after = '', kept } = each
      const stays = kept.length === 0 ? [] : [`keeps what Git does not have: ${kept.join(', ')}`]
      return [`${path}: ${effectOf(each)}`, ...lineDiff(before, after), ...stays]
    })
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

function effectOf({ action, isConflict }: PlannedObject): string {
  if (isConflict) return 'would be changed by --force-conflicts'
  return action === 'create' ? 'would be created' : 'would be changed'
}

/** `2 to create, 1 to change, 5 unchanged, 1 not possible` */
export function summaryOf(plan: readonly PlannedObject[], unusable: number): string {
  const count = (wanted: PlannedObject['action']): number =>
    plan.filter(({ action }) => action === wanted).length
  const counts = [
    [count('create'), 'to create'],
    [count('change'), 'to change'],
    [count('none'), 'unchanged'],
    [count('impossible') + unusable, 'not possible'],
  ] as const
  return counts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number} ${what}`)
    .join(', ')
}
