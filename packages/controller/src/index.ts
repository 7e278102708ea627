export { whenAborted } from './abort/when-aborted.ts'
export { childName } from './children/child-name.ts'
export { Children, createOnce, type EnsuredChild } from './children/children.ts'
export { type Clock, sleep, systemClock } from './clock/clock.ts'
export { Controller, type ControllerOptions } from './controller/controller.ts'
export {
  type ControllerMetrics,
  noControllerMetrics,
  type ReconcileOutcome,
} from './controller/controller-metrics.ts'
export { type GatePorts, gateReconcile } from './controller/gate-reconcile.ts'
export type {
  Reconcile,
  ReconcileContext,
  ReconcileResult,
} from './controller/reconcile-function.ts'
export { TerminalError } from './controller/terminal-error.ts'
export { type ReconcileTracing, tracedReconcile } from './controller/traced-reconcile.ts'
export {
  ClusterEventRecorder,
  type ClusterEventRecorderOptions,
} from './events/cluster-event-recorder.ts'
export type { EventSource } from './events/core-event.ts'
export type { CorrelatorOptions } from './events/event-correlator.ts'
export type { EventNote, EventRecorder } from './events/event-recorder.ts'
export {
  type LeaderElectionOptions,
  LeaderElector,
  type LeadershipEnd,
} from './leader-election/leader-elector.ts'
export {
  createMetrics,
  type GaugeOptions,
  type Metrics,
  type MetricsOptions,
} from './metrics/metrics.ts'
export { type MergePatch, type ObjectApi, objectApi } from './objects/object-api.ts'
export { type ObjectCache, OwnWrites } from './objects/own-writes.ts'
export { filledCaches } from './process/filled-caches.ts'
export {
  askHealth,
  type HealthAnswer,
  type HealthCheck,
  type HealthQuestion,
} from './process/health-checks.ts'
export { informerCheck, informerRunnable } from './process/informer-runnable.ts'
export { type KindController, type KindPorts, kindRunnable } from './process/kind-runnable.ts'
export { type Launched, launch } from './process/launch.ts'
export {
  LeadershipLost,
  Manager,
  type ManagerOptions,
  ShutdownTimeout,
  type Stage,
} from './process/manager.ts'
export { ProbeServer, type ProbeServerOptions } from './process/probe-server.ts'
export type { Runnable } from './process/runnable.ts'
export { type SignalSource, type StopSignals, stopSignals } from './process/stop-signals.ts'
export { addFinalizer, removeFinalizer } from './reconcile/finalizers.ts'
export type { Gate, GateContext, GateOf, LivingGate, RunGate } from './reconcile/gate.ts'
export { type GatedStatus, type Reconciled, reconcile } from './reconcile/reconcile.ts'
export { type PassContext, type PassResult, reconcileObject } from './reconcile/reconcile-object.ts'
export { ReconcileTimeout } from './reconcile/reconcile-timeout.ts'
export {
  isRun,
  type LivingDeclaration,
  type LivingReconciler,
  livingReconciler,
  type Reconciler,
  type RunDeclaration,
  type RunReconciler,
  runReconciler,
} from './reconcile/reconciler.ts'
export { type Step, type StepResult, stepDone, stepWaits } from './reconcile/step.ts'
export {
  cancelled,
  failed,
  type GateVerdict,
  type Pass,
  pass,
  type RunGateVerdict,
  type Stall,
  stall,
  succeeded,
  type Wait,
  wait,
} from './reconcile/verdict.ts'
export { writeStatus } from './reconcile/write-status.ts'
export { fromInformer } from './sources/from-informer.ts'
export type { ChangeHandlers, ChangeSource, Subscription } from './sources/informer.ts'
export {
  annotationsChanged,
  both,
  either,
  generationChanged,
  labelsChanged,
  not,
  type Predicate,
  resourceVersionChanged,
} from './sources/predicate.ts'
export { type CacheOptions, type ResourceCache, resourceCache } from './sources/resource-cache.ts'
export {
  type Enqueue,
  mappedSource,
  type OwnerKind,
  ownedSource,
  type Source,
} from './sources/source.ts'
export { atMost, bucketLimiter, slowestOf } from './work-queue/combined-limiter.ts'
export { noQueueMetrics, type QueueMetrics } from './work-queue/queue-metrics.ts'
export {
  type ExponentialOptions,
  exponentialLimiter,
  fastSlowLimiter,
  type RateLimiter,
} from './work-queue/rate-limiter.ts'
export {
  type AddOptions,
  lowPriority,
  type TakenKey,
  WorkQueue,
  type WorkQueueOptions,
} from './work-queue/work-queue.ts'
