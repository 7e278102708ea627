/** PostgreSQL cannot run here; the message says why, and what to do. */
export class PostgresUnavailable extends Error {
  override name = 'PostgresUnavailable'
}
