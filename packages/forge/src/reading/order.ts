import type { PullRequest } from '../forge.ts'

/** Open ones first, then the newest. */
export function isOpenFirst(a: PullRequest, b: PullRequest): number {
  return Number(b.state === 'open') - Number(a.state === 'open') || b.number - a.number
}
