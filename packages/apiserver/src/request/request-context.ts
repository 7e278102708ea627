import type { UserInfo } from './user-info.ts'

/** What the strategy of a resource may know about the request. */
export interface RequestContext {
  readonly user: UserInfo
  /** Time of the request; all timestamps that it writes are the same. */
  readonly now: Date
  /** The User-Agent header as sent. The default of `fieldManager` is its part before the first slash. */
  readonly userAgent: string
  readonly fieldManager: string | undefined
  readonly dryRun: boolean
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  /** Texts of the `Warning: 299` headers, sent in this order with the response. */
  readonly warnings: string[]
}
