/** PostgreSQL cannot run on this machine. The message contains the cause and the remedy. */
export class PostgresUnavailable extends Error {
  override name = 'PostgresUnavailable'
}
