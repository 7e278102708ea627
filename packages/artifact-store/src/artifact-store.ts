import type { ContentAddress } from './content-address.ts'

export interface Content {
  readonly sizeBytes: number
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * A store of content that is found by its SHA-256. Content is visible when it is whole, or not at all.
 *
 * A reference to content, such as an Artifact, is made before `put` and is what `isUsed` of `delete` asks for. Then no
 * order of concurrent calls deletes content that `put` or `stat` has reported to a holder of a reference: `delete`
 * leaves a mark before it asks, and both look for the mark before they report. Only one process may delete at a time.
 */
export interface ArtifactStore {
  /** Stores content, replacing what is there. Fails unless the bytes have this digest and size. Memory is bounded. */
  put(address: ContentAddress, content: Content): Promise<void>
  /**
   * Undefined if it is not there. The body is checked while it is read: its end is only reached if all of it had the
   * right digest; else it fails with `Corrupted`, before the last bytes.
   */
  get(address: ContentAddress): Promise<Content | undefined>
  /** Undefined if it is not there. Fails with `BeingDeleted` while that is not decided. */
  stat(address: ContentAddress): Promise<{ readonly sizeBytes: number } | undefined>
  /** Deletes content unless it is used; says whether it did. */
  delete(address: ContentAddress, isUsed: () => Promise<boolean>): Promise<boolean>
  list(): AsyncIterable<ContentAddress>
  /** The content whose deletion was interrupted. Until it is deleted again, it cannot be put. */
  interrupted(): AsyncIterable<ContentAddress>
  /** Removes what interrupted uploads have left behind before `time`. */
  clean(time: Date): Promise<void>
  /** For status and logs. */
  uri(address: ContentAddress): string
}
