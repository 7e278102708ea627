export { PostgresUnavailable } from './postgres-unavailable.ts'
export { type LocalPostgres, type LocalPostgresOptions, startPostgres } from './start-postgres.ts'
