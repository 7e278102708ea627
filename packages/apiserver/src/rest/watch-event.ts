import type { Status } from '../status/api-error.ts'
import type { Watch } from '../store/store.ts'
import type { ResponseObject } from './response-object.ts'

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly payload: ResponseObject }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }

/** A watch in the version of a resource. */
export interface ServedWatch extends Watch {
  /** Whether events of the store have not been sent yet. If omitted, events are sent synchronously. */
  isBehind?(): boolean
}
