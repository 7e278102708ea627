/** The requested revision is older than the history. */
export class TooOldError extends Error {
  override readonly name = 'TooOldError'
  readonly revision: number
  readonly oldestRevision: number

  constructor(revision: number, oldestRevision: number) {
    super(`revision ${revision} is too old: the history starts at ${oldestRevision}`)
    this.revision = revision
    this.oldestRevision = oldestRevision
  }
}

/** The requested revision has not been reached yet. */
export class FutureRevisionError extends Error {
  override readonly name = 'FutureRevisionError'
  readonly revision: number
  readonly currentRevision: number

  constructor(revision: number, currentRevision: number) {
    super(`revision ${revision} is in the future: the store is at ${currentRevision}`)
    this.revision = revision
    this.currentRevision = currentRevision
  }
}

/** The disk is full. Nothing of the write was stored, and the store remains usable. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError'
}

/** Another process has the directory open. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
}

/** The store can no longer write. Whether pending writes were stored is unknown until a restart. */
export class StoreFailedError extends Error {
  override readonly name = 'StoreFailedError'
}

export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError'

  constructor() {
    super('the store is closed')
  }
}
