import type { ImplementationSource } from '@agents/jangar-api'
import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'

/** An issue of a list. */
export interface ListedIssue {
  readonly issue: SourceIssue
  /** It was deleted or archived. */
  readonly isGone?: boolean
}

export interface Listing {
  readonly issues: readonly ListedIssue[]
  /** Whether an open issue that is not in it is closed or gone. */
  readonly isComplete: boolean
  /** To be called when it was imported, with what could not be: the next list contains that again. */
  readonly settle?: (left: readonly ListedIssue[]) => void
}

export interface ListRequest {
  readonly now: Date
  /** Not only what has changed. */
  readonly isFull: boolean
  readonly signal: AbortSignal
}

/** Lists the issues of a source. Throws ForgeErrors. */
export type ListIssues = (source: ImplementationSource, request: ListRequest) => Promise<Listing>
