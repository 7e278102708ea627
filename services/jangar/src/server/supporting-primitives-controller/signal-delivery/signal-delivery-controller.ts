import { type KindController, mappedSource, runReconciler, succeeded } from '@agents/controller'
import { type SignalDelivery, signalDeliveryConditions } from '@agents/jangar-api'
import { formatKey, type KubeClient, type KubeObject } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { conditionOf } from '../../kubernetes/condition-of.ts'
import { retention } from '../../kubernetes/retention.ts'
import { runClaims } from '../../kubernetes/run-claims.ts'
import { type PayloadChecks, payloadChecks } from '../signal/payload-checks.ts'
import { deliveryIndexers, identityIndex, identityOf, waitingIndex } from './delivery-identity.ts'
import { accepted } from './gates/accepted.ts'
import { onceRecorded, recordedSource } from './once-recorded.ts'

interface SignalDeliveryPorts {
  readonly client: KubeClient
  readonly caches: Pick<SupportingCaches, 'signals' | 'signalDeliveries'>
  /** Shared with the controller of the other kind of signals. */
  readonly checks?: PayloadChecks
  /** How long a finished delivery is kept. 0: permanently. */
  readonly retentionMs: number
}

/** Reconciles SignalDeliveries: each is accepted, rejected or a duplicate, once. */
export function signalDeliveryController({
  client,
  caches,
  checks = payloadChecks(),
  retentionMs,
}: SignalDeliveryPorts): KindController<SignalDelivery> {
  const { signals, signalDeliveries } = caches
  signalDeliveries.addIndexers(deliveryIndexers)
  const claims = runClaims(signalDeliveries)
  return {
    primary: signalDeliveries,
    reconciler: runReconciler({
      kind: 'SignalDelivery',
      conditions: signalDeliveryConditions,
      gates: [accepted({ caches, checks, claims })],
      work: ({ spec }) => succeeded(`delivered to Signal ${spec.signalRef.name}`),
      afterwards: [
        onceRecorded(
          signals,
          retention({ client, kind: signalDeliveries.kind, keptMs: () => retentionMs }),
        ),
      ],
      events: 'warnings',
    }),
    sources: [
      mappedSource(
        'signals',
        signals,
        ({ metadata }) =>
          signalDeliveries.byIndex(waitingIndex, formatKey(metadata)).map(metadataOf),
        {
          update: ({ metadata: before }, { metadata: after }) =>
            before.generation !== after.generation || before.uid !== after.uid,
          delete: () => false,
        },
      ),
      recordedSource(caches),
      mappedSource('earlier deliveries', signalDeliveries, laterThan(signalDeliveries), {
        add: () => false,
        update: (before, after) => isDecided(after) && !isDecided(before),
      }),
    ],
    workers: 8,
  }
}

/** The unfinished deliveries of the same event. */
function laterThan({ byIndex }: SupportingCaches['signalDeliveries']) {
  return (delivery: SignalDelivery) => {
    const identity = identityOf(delivery)
    if (identity === undefined) return []
    return byIndex(identityIndex, identity)
      .filter(({ status }) => !isFinished(status?.conditions))
      .map(metadataOf)
  }
}

/** Whether it decides about others with the same identifier: a duplicate does not. */
function isDecided(delivery: SignalDelivery): boolean {
  const { status, reason } = conditionOf(delivery, 'Accepted') ?? {}
  return status === 'True' || reason === 'Rejected'
}

function metadataOf({ metadata }: KubeObject): KubeObject['metadata'] {
  return metadata
}
