import type { KubeObject } from '@agents/kube'

/** An object at `revision`. Immutable by contract: `value` must be copied before it is changed. */
export interface Entry {
  readonly key: string
  /** Revision of the write that created this entry; equal to `value.metadata.resourceVersion`. */
  readonly revision: number
  /** The object's JSON in UTF-8. */
  readonly json: Buffer
  /** Parsed on first access and possibly again later, so its object identity is not stable. */
  readonly value: KubeObject
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** After a delete, the final value with the revision of the delete. */
  readonly entry: Entry
  readonly previous?: Entry
  readonly revision: number
}

export type Decision =
  | 'unchanged'
  | 'delete'
  /** Writes this value. The store sets `metadata.resourceVersion` in a copy. */
  | { readonly value: KubeObject }
  /** Deletes the object. Watchers see this final value instead of the current one. */
  | { readonly delete: KubeObject }
  /** Like the others, with a function from the new revision to the JSON, so that the object need not be parsed here. */
  | { readonly bytes: (revision: number) => Buffer; readonly deletes: boolean }

/** The event of a write, or `unchanged`. */
export type WriteResult =
  | StoreEvent
  | { readonly type: 'UNCHANGED'; readonly entry: Entry | undefined; readonly revision: number }

export interface ListOptions {
  /** Only keys that sort after this one. */
  readonly after?: string
  readonly limit?: number
}

export interface ListResult {
  /** Ordered by key. */
  readonly entries: Entry[]
  readonly revision: number
  readonly more: boolean
  /** Number of entries that follow; absent if there are none. */
  readonly remaining?: number
}

export interface Watch {
  close(): void
}

export interface Store {
  /** The last committed revision; never 0, which means "any" in the Kubernetes API. */
  readonly revision: number
  /** Lists and watches from before this revision throw TooOldError. */
  readonly oldestRevision: number
  get(key: string): Entry | undefined
  /** `prefix` ends with '/'. */
  list(prefix: string, options?: ListOptions): ListResult
  /** The list as it was at `revision`. Throws TooOldError or FutureRevisionError. */
  listAt(prefix: string, revision: number, options?: ListOptions): ListResult
  /**
   * Runs `decide` synchronously with the newest entry of the key, even one that is not durable yet. Settles when the
   * decision and the entry that it is based on are durable; only then do reads and watches see it. If `decide` throws,
   * the write rejects and nothing is written. 'delete' of a key that does not exist is 'unchanged'.
   */
  write(key: string, decide: (current: Entry | undefined) => Decision): Promise<WriteResult>
  /**
   * Delivers events after `fromRevision` in order: past events before this returns, later ones synchronously with their
   * commit. `prefix` ends with '/' or is a whole key. The callback may close any watch, including its own, which is the
   * second argument, since past events are delivered before the return. Throws TooOldError.
   */
  watch(
    prefix: string,
    fromRevision: number,
    onEvent: (event: StoreEvent, watch: Watch) => void,
  ): Watch
  /** Waits for pending writes, ends the watches and rejects later writes. Reads remain possible. */
  close(): Promise<void>
}
