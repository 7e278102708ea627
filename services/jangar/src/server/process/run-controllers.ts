import { ConfigError, findUnknown } from '@agents/config'
import {
  createMetrics,
  informerCheck,
  LeaderElector,
  LeadershipLost,
  Manager,
  type Metrics,
  ProbeServer,
  systemClock,
} from '@agents/controller'
import {
  type ConfigEffects,
  createInformers,
  createKubeClient,
  type Informers,
  type KubeClient,
  KubeconfigError,
} from '@agents/kube'
import { chooseFormat, createLogger, type Logger, type LogSink } from '@agents/log'
import { type ControllersConfig, controllers } from '../../config/controllers.ts'
import { addControllers } from './add-controllers.ts'
import { connect } from './connect.ts'
import { controllersConfig } from './controllers-config.ts'

/** The machine, as far as the process needs it. */
export interface ControllersEffects extends ConfigEffects {
  readonly output: LogSink & { readonly isTTY?: boolean }
  readonly errors: { write(text: string): unknown }
  /** Unlike that of any other process, also of an earlier life of this one. */
  readonly identity: string
  /** Asks the process to end. */
  readonly stop: AbortSignal
  /** Told once the probes can be asked. */
  readonly onListening?: (port: number) => void
}

/** The controllers process, from its environment to its exit code. */
export async function runControllers(effects: ControllersEffects): Promise<number> {
  const config = readConfig(effects)
  if ('exitCode' in config) return config.exitCode
  const log = loggerOf(config, effects)
  introduce(config, effects, log)
  try {
    await serve(config, effects, log)
    return 0
  } catch (error) {
    if (error instanceof LeadershipLost) log.warn('another process leads now; this one ends')
    else if (error instanceof KubeconfigError) effects.errors.write(`${error.message}\n`)
    else log.error('the controllers have failed', { error })
    return 1
  }
}

function readConfig({ environment, errors }: ControllersEffects) {
  try {
    return controllersConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    errors.write(`${error.message}\n`)
    return { exitCode: error.exitCode }
  }
}

function loggerOf({ log }: ControllersConfig, { output, environment }: ControllersEffects): Logger {
  const terminal = {
    isTerminal: output.isTTY === true,
    noColor: environment.NO_COLOR !== undefined,
  }
  return createLogger({ sink: output, level: log.level, ...chooseFormat(log.format, terminal) })
}

function introduce(config: ControllersConfig, effects: ControllersEffects, log: Logger): void {
  const { agents, migrations, leaderElection } = config
  log.info('controllers start', {
    migrations: migrations.mode,
    namespaces: agents.namespaces,
    leaderElection: leaderElection.enabled,
    identity: effects.identity,
  })
  for (const { env, suggestion } of findUnknown(controllers, effects.environment, 'JANGAR_')) {
    log.warn('a variable that the controllers do not know', {
      variable: env,
      ...(suggestion && { didYouMean: suggestion }),
    })
  }
}

async function serve(
  config: ControllersConfig,
  effects: ControllersEffects,
  log: Logger,
): Promise<void> {
  const metrics = config.metrics.enabled ? createMetrics() : undefined
  const client = createKubeClient(await connect(effects), {
    userAgent: 'agents-controllers',
    fieldManager: 'agents-controllers',
    ...(metrics && { onRequest: (outcome) => metrics.onRequest(outcome) }),
  })
  const informers = createInformers(client, { backoff: patience })
  const election = electionOf(config, client, effects, log, metrics)
  const manager = new Manager({ log, ...(election && { election }) })
  manager.add('servers', probes(config, informers, log, metrics, effects.onListening))
  addControllers(manager, {
    client,
    informers,
    sharesInformers: false,
    config,
    log,
    clock: systemClock,
    metrics,
    instance: effects.identity,
  })
  try {
    await manager.run(effects.stop)
  } finally {
    client.close()
  }
}

/** Kinds that are installed later should be found soon after. */
const patience = { baseMs: 500, maxMs: 5_000, resetAfterMs: 120_000 }

function probes(
  { http }: ControllersConfig,
  informers: Informers,
  log: Logger,
  metrics: Metrics | undefined,
  onListening: ((port: number) => void) | undefined,
) {
  const server = new ProbeServer({
    port: http.port,
    ...(http.host !== undefined && { host: http.host }),
    log,
    ...(metrics && { metrics }),
  })
  server.ready.set('caches', informerCheck(informers))
  return {
    name: server.name,
    start: async () => {
      await server.start()
      onListening?.(server.port)
    },
    run: (signal: AbortSignal) => server.run(signal),
  }
}

function electionOf(
  { leaderElection, pod }: ControllersConfig,
  client: KubeClient,
  { identity }: ControllersEffects,
  log: Logger,
  metrics: Metrics | undefined,
): LeaderElector | undefined {
  const { enabled, leaseName, leaseNamespace, ...times } = leaderElection
  if (!enabled) return undefined
  const namespace = leaseNamespace ?? pod.namespace ?? client.namespace
  return new LeaderElector({
    client,
    lease: { namespace, name: leaseName },
    identity,
    ...times,
    log,
    onNewLeader: (leader) => log.info('leader', { leader }),
    ...(metrics && { onStatus: metrics.leaderElection(leaseName) }),
  })
}
