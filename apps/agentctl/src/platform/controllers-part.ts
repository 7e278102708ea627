import { type Archive, controllersConfig, startControllers } from '@agents/jangar'
import { openTracing } from '@agents/tracing'
import manifest from '../../package.json' with { type: 'json' }
import { localRunnerImage } from './container-runtime.ts'
import type { PlatformPart } from './platform-part.ts'

/** The settings of the controllers process, where a single machine needs others than a cluster. */
const settings: Readonly<Record<string, string>> = {
  JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
  JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: '*',
  JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: '*',
  JANGAR_RBAC_CLUSTER_SCOPED: 'true',
  // Runs that name no image get one; processes do not look at it.
  JANGAR_AGENT_RUNNER_IMAGE: localRunnerImage,
}

/** The controllers of the agents groups. Variables of the environment that begin with JANGAR_ or OTEL_ outrank the settings above. */
export function controllersPart(archive: Archive['keep']): PlatformPart {
  return {
    name: 'controllers',
    needsKinds: true,
    start: async ({ client, informers, log, environment, onFailure }) => {
      const own = Object.entries(environment).filter(([name]) => /^(JANGAR|OTEL)_/.test(name))
      const config = controllersConfig({ ...settings, ...Object.fromEntries(own) })
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
