import { livingReconciler, pass, wait } from '@agents/controller'
import {
  type GitTarget,
  gitTarget,
  gitTargetClock,
  gitTargetConditions,
  gitTargetPhase,
} from '@agents/gittarget-api'
import { kindRef } from '@agents/kube'
import { type GateTypeOf, type ReasonOf, rfc3339 } from '@agents/status'
import type { ContractSubject, World, WorldPorts } from '../contract-subject.ts'
import { configMapDependency, watchConfigMaps } from './config-map-dependency.ts'

const spec = { providerRef: { name: 'provider' }, branch: 'main', path: 'cluster' }

/** A living kind with five gates, whose status tells times that move without anything having happened. */
export const gitTargetSample: ContractSubject = {
  kind: gitTarget,
  spec,
  changedSpec: { suspend: true },
  dependency: configMapDependency('provider'),
  world: (ports): World => {
    const providers = watchConfigMaps(ports)
    const { informer } = ports.informers.acquire<GitTarget>(kindRef(gitTarget), {
      namespace: ports.namespace,
    })
    return {
      reconciler: reconcilerOf(ports, providers.has),
      sources: [providers.sourceFor(() => informer.store.list())],
    }
  },
}

type Detail = Omit<NonNullable<GitTarget['status']>, 'conditions' | 'observedGeneration'>

type Conditions = typeof gitTargetConditions
type GateReasons = { readonly [Gate in GateTypeOf<Conditions>]: ReasonOf<Conditions, Gate> }

const aDay = 86_400_000

function reconcilerOf(
  { namespace }: WorldPorts,
  hasProvider: (key: { namespace: string; name: string }) => boolean,
): World['reconciler'] {
  return livingReconciler<GitTarget, Detail, GateReasons>({
    kind: 'GitTarget',
    conditions: gitTargetConditions,
    phase: gitTargetPhase,
    clockFields: gitTargetClock,
    gates: [
      {
        condition: 'Validated',
        check: ({ spec: { providerRef, branch } }) =>
          hasProvider({ namespace, name: providerRef.name })
            ? pass('OK', `${providerRef.name} allows ${branch}`)
            : wait('ProviderNotFound', `GitProvider ${providerRef.name} does not exist`, aDay),
      },
      {
        condition: 'EncryptionConfigured',
        check: (_target, _detail, { now }) =>
          pass('NotRequired', 'Secrets are not mirrored', {
            detail: { encryption: { mode: 'Disabled', lastValidatedTime: rfc3339(now) } },
          }),
      },
      {
        condition: 'Bootstrapped',
        check: () =>
          pass('BootstrapNotNeeded', 'the files are there', {
            detail: { workerRef: { name: 'worker', uid: 'w' } },
          }),
      },
      {
        condition: 'SnapshotSynced',
        check: (_target, { workerRef }, { now }) =>
          pass('Completed', `compared by ${workerRef?.name ?? 'nobody'}`, {
            detail: { snapshot: { lastCompletedTime: rfc3339(now) } },
          }),
      },
      {
        condition: 'EventStreamLive',
        check: (_target, _detail, { now }) =>
          pass('Registered', 'one stream is live', {
            detail: { stream: { status: 'Live', lastEventTime: rfc3339(now) } },
            recheckAfterMs: aDay,
          }),
        unasked: () => ({ stream: { status: 'Blocked' } }),
      },
    ],
  })
}
