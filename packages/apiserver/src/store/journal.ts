/** A write that is about to be made durable. */
export interface JournalRecord {
  readonly key: string
  readonly revision: number
  /** Absent for a delete. */
  readonly json?: Uint8Array
}

/** Makes writes durable. */
export interface Journal {
  /** Resolves with the cause if the journal fails, even between commits. */
  readonly broken: Promise<Error>
  /**
   * Resolves when the records are durable, with the errors of those that were not written, by index; later records of
   * the same key are then not written either. Rejects if the journal fails. Called with one batch at a time, in the
   * order of revisions.
   */
  commit(records: readonly JournalRecord[]): Promise<ReadonlyMap<number, Error>>
  close(): Promise<void>
}
