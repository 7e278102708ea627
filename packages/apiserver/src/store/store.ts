import type { KubeObject } from '@agents/kube'

/** One object as it stands at `revision`. Immutable by contract: copy before changing anything in `value`. */
export interface Entry {
  readonly key: string
  /** The write that made this entry; equal to `value.metadata.resourceVersion`. */
  readonly revision: number
  /** The exact bytes of the object's JSON, UTF-8. */
  readonly json: Buffer
  /** Parsed on first access and perhaps again later, so its identity means nothing. */
  readonly value: KubeObject
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** After a delete: the final value, which carries the revision of the delete. */
  readonly entry: Entry
  readonly previous?: Entry
  readonly revision: number
}

export type Decision =
  | 'unchanged'
  | 'delete'
  /** Writes this value; the store sets `metadata.resourceVersion` in a copy. */
  | { readonly value: KubeObject }
  /** Deletes; watchers see this final value instead of the current one. */
  | { readonly delete: KubeObject }

/** A write that happened is its event. */
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
  /** How many entries follow; present exactly when there are more. */
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
   * Runs `decide` at once, with the newest entry of the key, even one that is not yet durable.
   * Settles when the decision, and whatever it was based on, is durable; only then do reads and
   * watches see it. What `decide` throws rejects the write and nothing is written. 'delete' of a
   * key that is not there is 'unchanged'.
   */
  write(key: string, decide: (current: Entry | undefined) => Decision): Promise<WriteResult>
  /**
   * Delivers events after `fromRevision` in order: past ones before this returns, later ones
   * synchronously with their commit. `prefix` ends with '/' or is a whole key. The callback may
   * close any watch, its own included (its handle is the second argument, as past events come
   * before the return). Throws TooOldError.
   */
  watch(
    prefix: string,
    fromRevision: number,
    onEvent: (event: StoreEvent, watch: Watch) => void,
  ): Watch
  /** Waits for the writes under way, ends the watches and refuses later writes. Reads stay possible. */
  close(): Promise<void>
}
