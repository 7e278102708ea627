import { ConfigError, findUnknown, parseConfig } from '@agents/config'
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
  type Connection,
  createInformers,
  createKubeClient,
  isInCluster,
  type KubeClient,
  KubeconfigError,
  kubeconfigPaths,
  loadInCluster,
  loadKubeconfig,
} from '@agents/kube'
import { chooseFormat, createLogger, type Logger, type LogSink } from '@agents/log'
import { exportCounters, logFields, openTracing, type Tracer, type Tracing } from '@agents/tracing'
import manifest from '../../package.json' with { type: 'json' }
import { type OperatorConfig, operator, operatorRules } from '../config/operator.ts'
import { addGitTarget } from './add-git-target.ts'

/** The machine, as far as the process needs it. */
export interface OperatorEffects extends ConfigEffects {
  readonly output: LogSink & { readonly isTTY?: boolean }
  readonly errors: { write(text: string): unknown }
  /** Unlike that of any other process, also of an earlier life of this one. */
  readonly identity: string
  /** Asks the process to end. */
  readonly stop: AbortSignal
}

/** The gittarget process, from its environment to its exit code. */
export async function runOperator(effects: OperatorEffects): Promise<number> {
  let config: OperatorConfig
  try {
    config = parseConfig(operator, effects.environment, operatorRules)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    effects.errors.write(`${error.message}\n`)
    return error.exitCode
  }
  const plain = loggerOf(config, effects)
  plain.info('gittarget starts', { namespaces: config.namespaces, identity: effects.identity })
  for (const { env, suggestion } of findUnknown(operator, effects.environment, 'GITTARGET_')) {
    plain.warn('a variable that gittarget does not know', { variable: env, didYouMean: suggestion })
  }
  const tracing = await openTracing(config.tracing, {
    service: 'agents-gittarget',
    version: manifest.version,
    instance: effects.identity,
    log: plain,
  })
  const log = tracing.tracer.isOn ? loggerOf(config, effects, tracing.tracer) : plain
  try {
    await serve(config, effects, log, tracing)
    return 0
  } catch (error) {
    if (error instanceof LeadershipLost) log.warn('another process leads now; this one ends')
    else if (error instanceof KubeconfigError) effects.errors.write(`${error.message}\n`)
    else log.error('gittarget has failed', { error })
    return 1
  } finally {
    await tracing.close()
  }
}

async function serve(
  config: OperatorConfig,
  effects: OperatorEffects,
  log: Logger,
  tracing: Tracing,
): Promise<void> {
  const metrics = config.metrics.enabled ? createMetrics() : undefined
  for (const counter of exportCounters(tracing)) metrics?.counter(counter)
  const client = createKubeClient(await connect(effects), {
    userAgent: 'gittarget',
    fieldManager: 'gittarget',
    ...(metrics && { onRequest: (outcome) => metrics.onRequest(outcome) }),
  })
  const informers = createInformers(client, { backoff: patience })
  const election = electionOf(config, client, effects, log, metrics)
  const manager = new Manager({ log, ...(election && { election }) })
  const { host } = config.http
  const probes = new ProbeServer({
    port: config.http.port,
    ...(host !== undefined && { host }),
    log,
    ...(metrics && { metrics, metricsPath: config.metrics.path }),
  })
  probes.ready.set('caches', informerCheck(informers))
  manager.add('servers', probes)
  await addGitTarget(manager, {
    ...{ client, informers, log, clock: systemClock, metrics, tracer: tracing.tracer },
    namespaces: config.namespaces,
    stateDir: config.stateDir,
    allowFile: config.allowFileRepositories,
    path: effects.environment.PATH ?? '/usr/local/bin:/usr/bin:/bin',
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

/** The cluster that KUBECONFIG names; else the one that the process runs in; else that of the person at the machine. */
function connect(effects: ConfigEffects): Promise<Connection> {
  const { environment } = effects
  if (!environment.KUBECONFIG && isInCluster(environment)) return loadInCluster(effects)
  return loadKubeconfig({ paths: kubeconfigPaths(environment) }, effects)
}

/** With a tracer each line names the trace that it belongs to. */
function loggerOf(
  { log }: OperatorConfig,
  { output, environment }: OperatorEffects,
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

function electionOf(
  { leaderElection, podNamespace }: OperatorConfig,
  client: KubeClient,
  { identity }: OperatorEffects,
  log: Logger,
  metrics: Metrics | undefined,
): LeaderElector | undefined {
  const { enabled, leaseName, leaseNamespace, ...times } = leaderElection
  if (!enabled) return undefined
  const namespace = leaseNamespace ?? podNamespace ?? client.namespace
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
