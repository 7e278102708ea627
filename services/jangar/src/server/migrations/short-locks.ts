import { type Kysely, sql } from 'kysely'

/** Who comes after a statement that waits for a lock has to wait, too. */
const lockMs = 2_000

/** Lets the statements of this transaction fail instead of waiting long for a lock. */
export async function shortLocks(transaction: Kysely<unknown>): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(transaction)
}

/** No lock in time, or in a circle with others that wait. The same statement may succeed later. */
export function isLockFailure(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === '55P03' || code === '40P01'
}
