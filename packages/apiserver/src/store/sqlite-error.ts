// Result codes of SQLite (sqlite.org/rescode.html).
const busy = 5
const full = 13
const corrupt = 11
const notADatabase = 26
/** Extended code for a short write, which is how a disk quota appears. */
const writeFailed = 778

/** Reports whether a transaction was rolled back because the disk is full. Later ones may succeed. */
export function isStorageFull(error: unknown): boolean {
  return resultCode(error) === full || resultCode(error) === writeFailed
}

export function isLocked(error: unknown): boolean {
  return primaryCode(error) === busy
}

export function isCorrupt(error: unknown): boolean {
  return primaryCode(error) === corrupt || primaryCode(error) === notADatabase
}

function primaryCode(error: unknown): number {
  return resultCode(error) & 0xff
}

function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}
