/** One decided write on its way to the disk. */
export interface JournalRecord {
  readonly key: string
  readonly revision: number
  /** Absent for a delete. */
  readonly json?: Uint8Array
}

/** Where writes become durable. */
export interface Journal {
  /** Resolves with the cause if the journal breaks down, also between commits. */
  readonly broken: Promise<Error>
  /**
   * Resolves when the records are durable, with the errors of those that were not kept, by index; a
   * later record of the same key is then not kept either. Rejects when the journal cannot go on.
   * Called with one batch at a time, in the order of revisions.
   */
  commit(records: readonly JournalRecord[]): Promise<ReadonlyMap<number, Error>>
  close(): Promise<void>
}
