import type { ConfigOf, ConfigRule } from '@agents/config'
import { artifactRules } from './artifacts.ts'
import { clusterScopeRules } from './cluster-scope.ts'
import { forbiddenMigrations, optionalDatabase } from './database.ts'
import { leaderElectionRules } from './leader-election.ts'
import { reconcilers } from './reconcilers.ts'
import { shared } from './shared.ts'

/** The settings of the controllers process. */
export const controllers = {
  ...shared,
  migrations: forbiddenMigrations,
  database: optionalDatabase,
  ...reconcilers,
}

export type ControllersConfig = ConfigOf<typeof controllers>

export const controllersRules: readonly ConfigRule<ControllersConfig>[] = [
  ...leaderElectionRules,
  ...clusterScopeRules,
  ...artifactRules,
]
