export { type Clock, sleep, systemClock } from '@agents/kube'
export { whenAborted } from './abort/when-aborted.ts'
export { childName } from './children/child-name.ts'
export { Children, createOnce } from './children/children.ts'
export { Controller, type ControllerOptions } from './controller/controller.ts'
export { gateReconcile } from './controller/gate-reconcile.ts'
export type {
  Reconcile,
  ReconcileContext,
  ReconcileResult,
} from './controller/reconcile-function.ts'
export { ClusterEventRecorder } from './events/cluster-event-recorder.ts'
export type { EventNote, EventRecorder } from './events/event-recorder.ts'
export { LeaderElector } from './leader-election/leader-elector.ts'
export { createMetrics, type GaugeOptions, type Metrics } from './metrics/metrics.ts'
export { type ObjectApi, objectApi } from './objects/object-api.ts'
export { filledCaches } from './process/filled-caches.ts'
export { askHealth, type HealthCheck } from './process/health-checks.ts'
export { informerCheck } from './process/informer-check.ts'
export { type KindController, type KindPorts, kindRunnable } from './process/kind-runnable.ts'
export { type Launched, launch } from './process/launch.ts'
export { LeadershipLost, Manager } from './process/manager.ts'
export { ProbeServer } from './process/probe-server.ts'
export type { Runnable } from './process/runnable.ts'
export { stopSignals } from './process/stop-signals.ts'
export type { Gate, GateContext, GateOf, ScopedContext } from './reconcile/gate.ts'
export { reconcileObject } from './reconcile/reconcile-object.ts'
export {
  isRun,
  type LivingReconciler,
  livingReconciler,
  type Reconciler,
  runReconciler,
} from './reconcile/reconciler.ts'
export { type Step, stepDone, stepWaits } from './reconcile/step.ts'
export {
  cancelled,
  failed,
  type GateVerdict,
  pass,
  type RunGateVerdict,
  stall,
  succeeded,
  type Wait,
  wait,
} from './reconcile/verdict.ts'
export { writeStatus } from './reconcile/write-status.ts'
export { fromInformer } from './sources/from-informer.ts'
export type { ChangeHandlers, ChangeSource, Subscription } from './sources/informer.ts'
export { generationChanged, labelsChanged, type Predicate } from './sources/predicate.ts'
export { type ResourceCache, resourceCache } from './sources/resource-cache.ts'
export {
  type Enqueue,
  mappedSource,
  type OwnerKind,
  ownedSource,
  type Source,
} from './sources/source.ts'
export { lowPriority, WorkQueue } from './work-queue/work-queue.ts'
