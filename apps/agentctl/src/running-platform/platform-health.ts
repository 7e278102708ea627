/** `starting` until the database has served once; `none` where this machine cannot run one. */
export type DatabaseState = 'starting' | 'serving' | 'down' | 'none'

/** What a running platform reports to `agentctl doctor`. */
export interface PlatformHealth {
  readonly database: DatabaseState
}
