import { type Archive, controllers, controllersConfig, startControllers } from '@agents/jangar'
import { embedService } from '@agents/process'
import manifest from '../../package.json' with { type: 'json' }
import { controllerVariables } from './controller-variables.ts'
import type { PlatformPart } from './platform-part.ts'

/** The controllers of the agents groups. */
export function controllersPart(archive: Archive['keep']): PlatformPart {
  return {
    name: 'controllers',
    needsKinds: true,
    start: async ({ client, informers, log, environment, onFailure }) => {
      const config = controllersConfig(controllerVariables(environment))
      const partLog = log.with({ part: 'controllers' })
      const running = await embedService({
        service: 'agents-controllers',
        version: manifest.version,
        settings: controllers,
        config,
        log: partLog,
        start: (tracer) =>
          startControllers({ client, informers, config, log: partLog, archive, tracer }),
        onFailure,
      })
      await running.ready
      return running
    },
  }
}
