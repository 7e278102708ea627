/**
 * Larger files are never read. No object of a cluster is larger, a YAML document takes many times its size in memory,
 * and anybody can offer a repository with files of any size.
 */
export const maxFileBytes = 4 * 1024 * 1024

/** Contents that are in memory at the same time. Above `maxFileBytes`, so that each file fits. */
const batchBytes = 8 * 1024 * 1024

const batchItems = 500

/** Splits items into batches whose contents fit into memory together. Keeps the order. */
export function* batchesBySize<T>(
  items: Iterable<T>,
  bytesOf: (item: T) => number,
): Generator<T[]> {
  let batch: T[] = []
  let bytes = 0
  for (const item of items) {
    const own = bytesOf(item)
    if (batch.length > 0 && (bytes + own > batchBytes || batch.length === batchItems)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += own
  }
  if (batch.length > 0) yield batch
}
