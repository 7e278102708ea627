import {
  type Clock,
  ClusterEventRecorder,
  type EventRecorder,
  type KindController,
  kindRunnable,
  type Manager,
  type Metrics,
  type Runnable,
  whenAborted,
} from '@agents/controller'
import type { AgentRun, OrchestrationRun, ToolRun } from '@agents/jangar-api'
import type { Informers, KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { noTracer, type Tracer } from '@agents/tracing'
import type { ControllersConfig } from '../../config/controllers.ts'
import { agentRunKind } from '../agents-controller/agent-run/agent-run-kind.ts'
import { agentRunTrace } from '../agents-controller/agent-run/agent-run-trace.ts'
import { agentRunWork } from '../agents-controller/agent-run/agent-run-work.ts'
import { agentsController } from '../agents-controller/agents-controller.ts'
import { closedIssuesPart } from '../agents-controller/implementation-source/closed/closed-issues-part.ts'
import { inboxPart } from '../agents-controller/implementation-source/inbox-part.ts'
import { reportPart } from '../agents-controller/implementation-source/report/report-part.ts'
import { syncPart } from '../agents-controller/implementation-source/sync/sync-part.ts'
import { pullRequestsPart } from '../agents-controller/pull-request/pull-requests-part.ts'
import type { KeepRun } from '../archive/archive-run.ts'
import { runArchiver } from '../archive/run-archiver.ts'
import { openArtifactStore } from '../artifacts/open-artifact-store.ts'
import { unusedContentPart } from '../artifacts/unused-content.ts'
import { BudgetBook, type BudgetCaches } from '../budgets/budget-book.ts'
import { addBudgetMetrics } from '../budgets/budget-metrics.ts'
import { pastUsagePart, type UsageLedger } from '../budgets/past-usage.ts'
import { Prices } from '../budgets/prices.ts'
import { agentsCaches } from '../caches/agents-caches.ts'
import { budgetCaches } from '../caches/budget-caches.ts'
import { afterCaches, type CacheGroup, cacheGroup, cacheGroups } from '../caches/cache-groups.ts'
import { coreCaches } from '../caches/core-caches.ts'
import { orchestrationCaches } from '../caches/orchestration-caches.ts'
import { supportingCaches } from '../caches/supporting-caches.ts'
import type { InboxReader } from '../inbox/inbox-reader.ts'
import { orchestrationController } from '../orchestration-controller/definition/orchestration-controller.ts'
import { orchestrationRunController } from '../orchestration-controller/run/orchestration-run-controller.ts'
import { OrchestrationRunLife } from '../orchestration-controller/run/trace/orchestration-run-life.ts'
import { orchestrationRunTrace } from '../orchestration-controller/run/trace/orchestration-run-trace.ts'
import { toolRunController } from '../orchestration-controller/tool-run/tool-run-controller.ts'
import { toolRunKind } from '../orchestration-controller/tool-run/tool-run-kind.ts'
import { toolRunTrace } from '../orchestration-controller/tool-run/tool-run-trace.ts'
import { toolRunWork } from '../orchestration-controller/tool-run/tool-run-work.ts'
import { KnownPlatformAccounts } from '../primitives-policy/platform-accounts.ts'
import type { IsPlatformAccount } from '../primitives-policy/service-accounts.ts'
import { supportingController } from '../supporting-primitives-controller/supporting-controller.ts'
import { jobRunTraces, runTraces } from '../trace/run-traces.ts'
import { tracedArchive } from '../trace/traced-archive.ts'
import { unreconciledKindsPart } from '../unreconciled/unreconciled-kinds-part.ts'
import { ledgerWriter } from '../usage/ledger-writer.ts'
import { ownIdentity, platformAccountNames } from './own-identity.ts'

interface ControllersPorts {
  readonly client: KubeClient
  readonly informers: Informers
  /** Whether another part of the process stops the informers. */
  readonly sharesInformers: boolean
  readonly config: Pick<
    ControllersConfig,
    | 'agents'
    | 'approvals'
    | 'orchestration'
    | 'supporting'
    | 'budgets'
    | 'runner'
    | 'pod'
    | 'artifacts'
    | 'artifactUploads'
    | 'webhooks'
  >
  /** Stores a finished run. Without it, a run that is deleted from the cluster is lost. */
  readonly archive?: KeepRun | undefined
  /** Deliveries of webhooks. If omitted, none are processed. */
  readonly inbox?: InboxReader | undefined
  /** Keeps the usage of runs that are deleted. Without it, Budgets count the runs that the cluster holds. */
  readonly ledger?: UsageLedger | undefined
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics | undefined
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Identifies the process in events. */
  readonly instance: string
}

/** Adds the controllers and their caches to the parts of a process. */
export function addControllers(manager: Manager, ports: ControllersPorts): void {
  const { client, informers, config, log, clock } = ports
  const source = { component: 'agents-controller', instance: ports.instance }
  const events = new ClusterEventRecorder({ client, source, log, clock })
  manager.add('servers', {
    name: 'events',
    run: async (signal) => {
      await whenAborted(signal)
      await events.stop()
    },
  })
  const accounts = new KnownPlatformAccounts({
    names: platformAccountNames(config),
    namespace: config.pod.namespace ?? client.namespace,
  })
  const { caches, book } = openBudgets(ports)
  const runs = {
    ...ports,
    events,
    isPlatformAccount: accounts.has,
    budgets: book,
    budgetCaches: caches,
  }
  if (config.agents.enabled || config.orchestration.enabled) {
    manager.add('caches', ownIdentity(client, accounts, log))
  }
  const groups = [
    ...(config.agents.enabled ? [addAgents(manager, runs)] : []),
    ...(config.orchestration.enabled ? [addOrchestration(manager, runs)] : []),
    ...(config.supporting.enabled ? [addSupporting(manager, runs)] : []),
  ]
  if (groups.length === 0) return
  if (ports.ledger !== undefined) {
    const group = cacheGroup('usage', { ...caches })
    const ledgerPorts = { book, ledger: ports.ledger, log, clock }
    const writer = {
      ...ledgerPorts,
      runs: caches.agentRuns,
      workOf: (run: AgentRun) => book.workOf(run),
    }
    for (const part of [ledgerWriter(writer), pastUsagePart(ledgerPorts)]) {
      manager.add('leading', afterCaches(group, informers, part))
    }
    groups.push(group)
  }
  const isShared = ports.sharesInformers
  manager.add('caches', cacheGroups({ informers, groups, log, isShared }))
}

/** One account for all controllers of the process: what one of them lets through counts for the others. */
function openBudgets({ informers, config, clock, metrics, ledger }: ControllersPorts) {
  const { agents, orchestration, supporting } = config
  const all = [agents, orchestration, supporting].filter(({ enabled }) => enabled)
  const namespaces = [...new Set(all.flatMap((one) => one.namespaces))]
  const caches = budgetCaches(informers, namespaces)
  const prices = new Prices(config.budgets.prices)
  const book = new BudgetBook({
    caches,
    clock,
    agentRunWork: (run, agent, isActive) => agentRunWork(run, agent, prices, isActive),
    toolRunWork,
    hasLedger: ledger !== undefined,
  })
  if (metrics) addBudgetMetrics(metrics, book)
  return { caches, book }
}

/** What the controllers of runs depend on. */
interface RunPorts extends ControllersPorts {
  readonly events: EventRecorder
  readonly budgets: BudgetBook
  /** What the Budgets are counted from. Filled before any run is let through. */
  readonly budgetCaches: BudgetCaches
  /** Recognises the platform's own service accounts, which no run may use. */
  readonly isPlatformAccount: IsPlatformAccount
}

/** Adds the controllers of the agents group. Returns the caches that they read. */
function addAgents(manager: Manager, ports: RunPorts): CacheGroup {
  const { client, informers, config, log, clock, tracer = noTracer } = ports
  const { namespaces } = config.agents
  const caches = { ...coreCaches(informers, namespaces), ...agentsCaches(informers, namespaces) }
  const group = cacheGroup('agents', { ...caches, ...ports.budgetCaches })
  const { webhooks } = config
  const { archive: keep } = ports
  const archive =
    keep &&
    runArchiver<AgentRun>({
      kind: 'AgentRun',
      runs: caches.agentRuns,
      archive: tracedArchive((run) => keep(run, 'AgentRun'), agentRunTrace, tracer),
      log,
    })
  const agentsPorts = { ...ports, archive, caches, tracer, receivesWebhooks: webhooks.enabled }
  const add = (runnable: Runnable): void =>
    manager.add('leading', afterCaches(group, informers, runnable))
  // Subscribes before the controllers write, to see every change.
  if (tracer.isOn) {
    const traced = { kind: agentRunTrace, owner: agentRunKind, runs: caches.agentRuns }
    add(jobRunTraces({ ...traced, caches, tracer, clock }))
  }
  for (const controller of agentsController(agentsPorts)) {
    add(kindRunnable(controller, ports))
  }
  add(pullRequestsPart(agentsPorts))
  add(syncPart(agentsPorts))
  add(reportPart(agentsPorts))
  add(closedIssuesPart(agentsPorts))
  const { inbox } = ports
  if (inbox) add(inboxPart({ ...agentsPorts, inbox, retries: webhooks }))
  manager.add('leading', unreconciledKindsPart({ client, namespaces, log, clock }))
  if (archive) add(archive)
  return group
}

/** Adds the controllers of orchestrations, their runs, and runs of tools. Returns the caches that they read. */
function addOrchestration(manager: Manager, ports: RunPorts): CacheGroup {
  const { client, informers, clock, config, tracer = noTracer } = ports
  const { namespaces } = config.orchestration
  const { runRetentionMs } = config.agents
  const caches = {
    ...coreCaches(informers, namespaces),
    ...orchestrationCaches(informers, namespaces),
  }
  const group = cacheGroup('orchestration', { ...caches, ...ports.budgetCaches })
  const { toolRuns, orchestrationRuns } = caches
  const { archive: keep, log } = ports
  const toolArchive =
    keep &&
    runArchiver<ToolRun>({
      kind: 'ToolRun',
      runs: toolRuns,
      archive: tracedArchive((run) => keep(run, 'ToolRun'), toolRunTrace, tracer),
      log,
    })
  const graphArchive =
    keep &&
    runArchiver<OrchestrationRun>({
      kind: 'OrchestrationRun',
      runs: orchestrationRuns,
      archive: tracedArchive((run) => keep(run, 'OrchestrationRun'), orchestrationRunTrace, tracer),
      log,
    })
  const controllers = [
    orchestrationController({ caches }),
    orchestrationRunController({
      ...{ client, caches, clock, runRetentionMs, tracer },
      archive: graphArchive,
      allowUnverifiedApprovals: config.approvals.allowUnverified,
    }),
    toolRunController({ ...ports, archive: toolArchive, caches }),
  ] as unknown as readonly KindController[]
  const add = (runnable: Runnable): void =>
    manager.add('leading', afterCaches(group, informers, runnable))
  // Subscribes before the controllers write, to see every change.
  if (tracer.isOn) {
    const tools = { kind: toolRunTrace, owner: toolRunKind, runs: toolRuns }
    add(jobRunTraces({ ...tools, caches, tracer, clock }))
    const lifeOf = (run: OrchestrationRun, nowMs: number) =>
      new OrchestrationRunLife(tracer, run, nowMs)
    const graphs = { kind: orchestrationRunTrace, runs: orchestrationRuns, lifeOf }
    add(runTraces({ ...graphs, tracer, clock }))
  }
  for (const controller of controllers) add(kindRunnable(controller, ports))
  for (const archive of [toolArchive, graphArchive]) if (archive) add(archive)
  return group
}

/** Adds the controllers of the kinds that start, limit or supply runs. Returns the caches that they read. */
function addSupporting(manager: Manager, ports: RunPorts): CacheGroup {
  const { client, informers, config, events, log, clock, budgets: book } = ports
  const { namespaces } = config.supporting
  const caches = supportingCaches(informers, namespaces)
  const group = cacheGroup('supporting', { ...caches, ...ports.budgetCaches })
  const store = openArtifactStore(config.artifacts)
  const supporting = { client, caches, clock, book, events, config, store }
  for (const controller of supportingController(supporting)) {
    const runnable = kindRunnable(controller, ports)
    manager.add('leading', afterCaches(group, informers, runnable))
  }
  if (store !== undefined) {
    const { artifacts } = caches
    const part = unusedContentPart({ store, client, artifacts, namespaces, log, clock })
    manager.add('leading', afterCaches(group, informers, part))
  }
  return group
}
