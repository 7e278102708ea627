import type { ConfigOf, Declaration } from '@agents/config'
import type { Launched } from '@agents/controller'
import type { Logger } from '@agents/log'
import { openTracing, type Tracer } from '@agents/tracing'
import { logConfiguration } from './log-configuration.ts'
import type { FrameSettings } from './settings/frame-settings.ts'

interface EmbeddedService<
  D extends Declaration & Pick<FrameSettings, 'tracing'>,
  Running extends Launched,
> {
  /** The name in traces. */
  readonly service: string
  readonly version: string
  readonly settings: D
  readonly config: ConfigOf<D>
  readonly log: Logger
  readonly start: (tracer: Tracer) => Promise<Running> | Running
  /** Called if the service ends without having been stopped. */
  readonly onFailure: (error: unknown) => void
}

/** Starts a service inside a process that does other things too. Stopping it also flushes its traces. */
export async function embedService<
  const D extends Declaration & Pick<FrameSettings, 'tracing'>,
  Running extends Launched,
>({
  service,
  version,
  settings,
  config,
  log,
  start,
  onFailure,
}: EmbeddedService<D, Running>): Promise<Running> {
  logConfiguration(log, settings, config)
  const { tracing: tracingConfig } = config as ConfigOf<Pick<FrameSettings, 'tracing'>>
  const tracing = await openTracing(tracingConfig, { service, version, instance: 'local', log })
  const running = await start(tracing.tracer)
  running.ended.catch(onFailure)
  return {
    ...running,
    stop: async () => {
      await running.stop()
      await tracing.close()
    },
  }
}
