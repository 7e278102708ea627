import {
  type Clock,
  ClusterEventRecorder,
  filledCaches,
  kindRunnable,
  type Manager,
  type Metrics,
  whenAborted,
} from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { Informers, KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { noTracer, type Tracer } from '@agents/tracing'
import type { ControllersConfig } from '../../config/controllers.ts'
import { runTraces } from '../agents-controller/agent-run/trace/run-traces.ts'
import { tracedArchive } from '../agents-controller/agent-run/trace/traced-archive.ts'
import { agentsCaches } from '../agents-controller/agents-caches.ts'
import { agentsController } from '../agents-controller/agents-controller.ts'
import { runArchiver } from '../archive/run-archiver.ts'

export interface ControllersWorld {
  readonly client: KubeClient
  readonly informers: Informers
  /** Whether somebody else ends the informers. */
  readonly sharesInformers: boolean
  readonly config: Pick<ControllersConfig, 'agents' | 'runner'>
  /** Keeps a run that has ended. Without it, what the cluster forgets is forgotten. */
  readonly archive?: ((run: AgentRun) => Promise<void>) | undefined
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics | undefined
  /** Not given: there are no traces. */
  readonly tracer?: Tracer | undefined
  /** Which of several processes; told with events. */
  readonly instance: string
}

/** Adds the controllers, and what they stand on, to the parts of a process. */
export function addControllers(manager: Manager, world: ControllersWorld): void {
  const { client, informers, config, log, clock, tracer = noTracer } = world
  const source = { component: 'agents-controller', instance: world.instance }
  const events = new ClusterEventRecorder({ client, source, log, clock })
  manager.add('servers', {
    name: 'events',
    run: async (signal) => {
      await whenAborted(signal)
      await events.stop()
    },
  })
  if (!config.agents.enabled) return
  const caches = agentsCaches(informers, config.agents.namespaces)
  const ports = { client, caches, events, log, clock, config, tracer }
  const controllers = agentsController(ports)
  manager.add('caches', filledCaches(informers, log, { isShared: world.sharesInformers }))
  // Before those who write, so that it knows what nobody has seen yet.
  if (tracer.isOn) manager.add('leading', runTraces({ caches, tracer, clock }))
  for (const controller of controllers) {
    manager.add('leading', kindRunnable(controller, { ...world, events }))
  }
  if (world.archive) {
    const archive = tracedArchive(world.archive, tracer)
    manager.add('leading', runArchiver({ runs: caches.agentRuns, archive, log }))
  }
}
