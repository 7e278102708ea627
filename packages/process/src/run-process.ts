import {
  ConfigError,
  type ConfigOf,
  type ConfigRule,
  type Declaration,
  findUnknown,
  parseConfig,
} from '@agents/config'
import { LeadershipLost } from '@agents/controller'
import { KubeconfigError } from '@agents/kube'
import { chooseFormat, createLogger, type Logger } from '@agents/log'
import { logFields, openTracing, type Tracer, type Tracing } from '@agents/tracing'
import { logConfiguration } from './log-configuration.ts'
import type { ProcessEffects } from './process-effects.ts'
import type { FrameSettings } from './settings/frame-settings.ts'

/** What is particular to one service. */
interface Service<D extends Declaration & FrameSettings> {
  /** The name in log messages, for example `controllers`. */
  readonly name: string
  /** The name in traces. */
  readonly service: string
  readonly version: string
  readonly settings: D
  readonly rules: readonly ConfigRule<ConfigOf<D>>[]
  /** Variables with the prefix that this declaration does not have are reported as unknown. */
  readonly known: { readonly prefix: string; readonly settings: Declaration }
  /** Further fields of the first log line. */
  readonly startFields: (config: ConfigOf<D>) => Readonly<Record<string, unknown>>
  /** Runs until `effects.stop` is aborted. */
  readonly serve: (ports: ServicePorts<ConfigOf<D>>) => Promise<void>
}

export interface ServicePorts<Config> {
  readonly config: Config
  readonly effects: ProcessEffects
  readonly log: Logger
  readonly tracing: Tracing
}

type FrameConfig = ConfigOf<FrameSettings>

/** Runs a service from its environment to its exit code. Invalid settings end it with a message for each of them. */
export async function runProcess<const D extends Declaration & FrameSettings>(
  service: Service<D>,
  effects: ProcessEffects,
): Promise<number> {
  const { name, settings, rules, serve } = service
  let config: ConfigOf<D>
  try {
    config = parseConfig(settings, effects.environment, rules)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    effects.errors.write(`${error.message}\n`)
    return error.exitCode
  }
  const { log: logConfig, tracing: tracingConfig } = config as FrameConfig
  const plainLog = openLog(logConfig, effects)
  logStart(service, config, effects, plainLog)
  const { identity: instance } = effects
  const tracing = await openTracing(tracingConfig, {
    service: service.service,
    version: service.version,
    instance,
    log: plainLog,
  })
  const log = tracing.tracer.isOn ? openLog(logConfig, effects, tracing.tracer) : plainLog
  try {
    await serve({ config, effects, log, tracing })
    return 0
  } catch (error) {
    if (error instanceof LeadershipLost) log.warn('leadership lost, exiting', { process: name })
    else if (error instanceof KubeconfigError) effects.errors.write(`${error.message}\n`)
    else log.error('process failed', { process: name, error })
    return 1
  } finally {
    await tracing.close()
  }
}

/** With a tracer, each line contains the trace that it belongs to. */
function openLog(
  { level, format }: FrameConfig['log'],
  { output, environment }: ProcessEffects,
  tracer?: Tracer,
): Logger {
  const terminal = {
    isTerminal: output.isTTY === true,
    noColor: environment.NO_COLOR !== undefined,
  }
  return createLogger({
    sink: output,
    level,
    ...chooseFormat(format, terminal),
    ...(tracer && { context: () => logFields(tracer) }),
  })
}

function logStart<D extends Declaration & FrameSettings>(
  { name, version, settings, known, startFields }: Service<D>,
  config: ConfigOf<D>,
  { environment, identity }: ProcessEffects,
  log: Logger,
): void {
  log.info('process starting', { process: name, version, identity, ...startFields(config) })
  logConfiguration(log, settings, config)
  for (const { env, suggestion } of findUnknown(known.settings, environment, known.prefix)) {
    log.warn('unknown variable', { variable: env, ...(suggestion && { didYouMean: suggestion }) })
  }
}
