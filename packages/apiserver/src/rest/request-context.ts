import type { UserInfo } from '../endpoints/user-info.ts'

/** What the rules of a resource may know about the request that they run for. */
export interface RequestContext {
  readonly user: UserInfo
  /** One instant for the whole request: every stamp it writes is the same. */
  readonly now: Date
  /** As sent; `fieldManager` falls back to its part before the first slash. */
  readonly userAgent: string
  readonly fieldManager: string | undefined
  readonly dryRun: boolean
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  /** Collected `Warning: 299` texts, sent in order with the response. */
  readonly warnings: string[]
}
