import type { ConfigOf } from '@agents/config'
import { ConfigError, type Declaration, findUnknown } from '@agents/config'
import { LeadershipLost } from '@agents/controller'
import { KubeconfigError } from '@agents/kube'
import { chooseFormat, createLogger, type Logger } from '@agents/log'
import { logFields, openTracing, type Tracer, type Tracing } from '@agents/tracing'
import manifest from '../../../package.json' with { type: 'json' }
import type { shared } from '../../config/shared.ts'
import type { ProcessEffects } from './process-effects.ts'

type SharedConfig = ConfigOf<typeof shared>

export interface ProcessFrame<Config extends SharedConfig> {
  /** As in `the controllers have failed`. */
  readonly name: string
  /** Its name in traces. */
  readonly service: string
  /** Variables outside it are probably mistakes, and are warned about. */
  readonly known: Declaration
  /** Throws a ConfigError with everything that is wrong. */
  readonly readConfig: (environment: ProcessEffects['environment']) => Config
  /** The first line of the log. */
  readonly introduction: (config: Config) => Record<string, unknown>
  /** Until it is asked to stop. */
  readonly serve: (
    config: Config,
    effects: ProcessEffects,
    log: Logger,
    tracing: Tracing,
  ) => Promise<void>
}

/** A process from its environment to its exit code: settings that are wrong end it with a message that says what to do. */
export async function runProcess<Config extends SharedConfig>(
  frame: ProcessFrame<Config>,
  effects: ProcessEffects,
): Promise<number> {
  const { name, serve } = frame
  let config: Config
  try {
    config = frame.readConfig(effects.environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    effects.errors.write(`${error.message}\n`)
    return error.exitCode
  }
  const plain = loggerOf(config, effects)
  introduce(frame, config, effects, plain)
  const tracing = await tracingOf(frame, config, effects, plain)
  const log = tracing.tracer.isOn ? loggerOf(config, effects, tracing.tracer) : plain
  try {
    await serve(config, effects, log, tracing)
    return 0
  } catch (error) {
    if (error instanceof LeadershipLost) log.warn('another process leads now; this one ends')
    else if (error instanceof KubeconfigError) effects.errors.write(`${error.message}\n`)
    else log.error(`${name} has failed`, { error })
    return 1
  } finally {
    await tracing.close()
  }
}

function tracingOf<Config extends SharedConfig>(
  { service }: ProcessFrame<Config>,
  config: Config,
  { identity }: ProcessEffects,
  log: Logger,
): Promise<Tracing> {
  const { version } = manifest
  return openTracing(config.tracing, { service, version, instance: identity, log })
}

/** With a tracer each line names the trace that it belongs to. */
function loggerOf(
  { log }: SharedConfig,
  { output, environment }: ProcessEffects,
  tracer?: Tracer,
): Logger {
  const terminal = {
    isTerminal: output.isTTY === true,
    noColor: environment.NO_COLOR !== undefined,
  }
  return createLogger({
    sink: output,
    level: log.level,
    ...chooseFormat(log.format, terminal),
    ...(tracer && { context: () => logFields(tracer) }),
  })
}

function introduce<Config extends SharedConfig>(
  { name, known, introduction }: ProcessFrame<Config>,
  config: Config,
  { environment, identity }: ProcessEffects,
  log: Logger,
): void {
  log.info(`${name} starts`, { ...introduction(config), identity })
  for (const { env, suggestion } of findUnknown(known, environment, 'JANGAR_')) {
    log.warn(`a variable that nothing reads`, {
      variable: env,
      ...(suggestion && { didYouMean: suggestion }),
    })
  }
}
