import { parseConfig } from '@agents/config'
import type { KindController } from '@agents/controller'
import { systemClock } from '@agents/controller'
import { type AgentsPorts, agentsCaches, controllers, coreCaches } from '@agents/jangar'
import { silentLogger } from '@agents/log'
import type { ControllerEnvironment, EnvironmentPorts } from '../contract-subject.ts'

/** The reconciler of one kind of the agents group and its sources, with default settings. */
export function agentsEnvironment(
  controllerOf: (ports: AgentsPorts) => Pick<KindController, 'reconciler' | 'sources'>,
): (ports: EnvironmentPorts) => ControllerEnvironment {
  return ({ client, informers, namespace }) => {
    const { reconciler, sources } = controllerOf({
      client,
      caches: { ...coreCaches(informers, [namespace]), ...agentsCaches(informers, [namespace]) },
      events: { record: () => undefined },
      log: silentLogger,
      clock: systemClock,
      config: parseConfig(controllers, {}),
      isPlatformAccount: () => false,
    })
    return { reconciler, sources }
  }
}
