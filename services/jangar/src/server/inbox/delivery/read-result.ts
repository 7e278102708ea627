import { textAt } from './members.ts'
import type { FailedCheck } from './read-check.ts'
import type { ForgePush } from './read-push.ts'
import type { ForgeRequest } from './read-request.ts'
import type { IssueActions, SourceIssue } from './source-issue.ts'

/** What a delivery is about. */
export type ReadDelivery =
  | (IssueActions & {
      readonly kind: 'issue'
      readonly issue: SourceIssue
      readonly isGone: boolean
    })
  | { readonly kind: 'request'; readonly request: ForgeRequest }
  | { readonly kind: 'push'; readonly push: ForgePush }
  | { readonly kind: 'check'; readonly check: FailedCheck }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'invalid'; readonly why: string }

export function invalid(field: string): ReadDelivery {
  return { kind: 'invalid', why: `the payload has no valid ${field}` }
}

export function labelsIn(labels: readonly unknown[], name: string): readonly string[] {
  return labels.map((label) => textAt(label, name)).filter((label) => label !== undefined)
}
