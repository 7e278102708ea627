import type { RecordBatch } from './record-batch.ts'

export interface WorkerSettings {
  readonly directory: string
  readonly maxBytes?: number
}

export type ToWorker =
  | { readonly type: 'commit'; readonly batch: RecordBatch }
  | { readonly type: 'close' }

export type FromWorker =
  | { readonly type: 'loaded'; readonly batch: RecordBatch }
  | { readonly type: 'ready'; readonly revision: number }
  | {
      readonly type: 'refused'
      readonly reason: 'locked' | 'corrupt' | 'other'
      readonly message: string
    }
  /** Indexes of the records that were not written because the disk is full. */
  | { readonly type: 'committed'; readonly full: readonly number[] }
