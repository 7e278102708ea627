import { type Archive, controllersConfig, startControllers } from '@agents/jangar'
import { openTracing } from '@agents/tracing'
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
      const tracing = await openTracing(config.tracing, {
        service: 'agents-controllers',
        version: manifest.version,
        instance: 'local',
        log: partLog,
      })
      const { tracer } = tracing
      const running = startControllers({ client, informers, config, log: partLog, archive, tracer })
      running.ended.catch(onFailure)
      await running.ready
      return {
        stop: async () => {
          await running.stop()
          await tracing.close()
        },
      }
    },
  }
}
