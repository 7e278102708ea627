import { checkDefinitions, checkNamespace, checkPermissions } from './check-cluster.ts'
import { checkControllers } from './check-controllers.ts'
import { checkNeglected } from './check-neglected.ts'
import { checkUnreconciled } from './check-unreconciled.ts'
import type { Examined } from './examined.ts'
import type { Finding } from './finding.ts'

interface ClusterCheck {
  readonly about: string
  readonly run: () => Promise<Finding>
}

/** The checks of a cluster that answers, each with the rights of the client. */
export function clusterChecks(examined: Examined): readonly ClusterCheck[] {
  return [
    { about: 'kinds', run: () => checkDefinitions(examined) },
    { about: 'unreconciled kinds', run: () => checkUnreconciled(examined) },
    { about: 'namespace', run: () => checkNamespace(examined) },
    { about: 'controllers', run: () => checkControllers(examined) },
    { about: 'reconciliation', run: () => checkNeglected(examined) },
    { about: 'permissions', run: () => checkPermissions(examined) },
  ]
}
