import type { JournalRecord } from './journal.ts'

/** Records for another thread in one buffer, which can be transferred instead of copied. */
export interface RecordBatch {
  readonly keys: readonly string[]
  readonly revisions: readonly number[]
  /** Length of each value in `data`; −1 for a delete. */
  readonly lengths: readonly number[]
  readonly data: Uint8Array<ArrayBuffer>
}

export function packRecords(records: readonly JournalRecord[]): RecordBatch {
  const lengths = records.map((record) => record.json?.length ?? -1)
  const data = new Uint8Array(lengths.reduce((sum, length) => sum + Math.max(length, 0), 0))
  let offset = 0
  for (const { json } of records) {
    if (json === undefined) continue
    data.set(json, offset)
    offset += json.length
  }
  return {
    keys: records.map((record) => record.key),
    revisions: records.map((record) => record.revision),
    lengths,
    data,
  }
}

/** Unpacks records. Their values are views of the batch's buffer. */
export function unpackRecords({ keys, revisions, lengths, data }: RecordBatch): JournalRecord[] {
  let offset = 0
  return keys.map((key, index) => {
    const revision = revisions[index] ?? 0
    const length = lengths[index] ?? -1
    if (length < 0) return { key, revision }
    const json = data.subarray(offset, offset + length)
    offset += length
    return { key, revision, json }
  })
}
