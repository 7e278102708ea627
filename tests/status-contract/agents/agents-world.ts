import { parseConfig } from '@agents/config'
import type { KindController } from '@agents/controller'
import { systemClock } from '@agents/controller'
import { type AgentsPorts, agentsCaches, controllers } from '@agents/jangar'
import { createLogger } from '@agents/log'
import type { World, WorldPorts } from '../contract-subject.ts'

/** The world of one kind of the agents group, with the settings that nobody has changed. */
export function agentsWorld(
  controllerOf: (ports: AgentsPorts) => Pick<KindController, 'reconciler' | 'sources'>,
): (ports: WorldPorts) => World {
  return ({ client, informers, namespace }) => {
    const { reconciler, sources } = controllerOf({
      client,
      caches: agentsCaches(informers, [namespace]),
      events: { record: () => undefined },
      log: createLogger({ sink: { write: () => undefined } }),
      clock: systemClock,
      config: parseConfig(controllers, {}),
    })
    return { reconciler, sources }
  }
}
