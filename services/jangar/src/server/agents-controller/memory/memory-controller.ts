import { type KindController, livingReconciler, pass } from '@agents/controller'
import { type Memory, memoryConditions } from '@agents/jangar-api'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { missingKey } from '../missing-key.ts'
import type { AgentsPorts } from '../ports.ts'
import { waitFor } from '../wait-for.ts'
import { ProbeSchedule } from './probe/probe-schedule.ts'
import { reachable } from './reachable.ts'

/** Stores for what agents learn: ready when they answer. */
export function memoryController(ports: AgentsPorts): KindController<Memory> {
  const { caches, clock } = ports
  const schedule = new ProbeSchedule(() => clock.elapsed())
  return {
    primary: caches.memories,
    reconciler: livingReconciler({
      kind: 'Memory',
      conditions: memoryConditions,
      clockFields: { stamped: ['updatedAt'], carried: ['lastCheckedAt'] },
      gates: [
        {
          condition: 'CredentialsResolved',
          check: ({ metadata: { namespace }, spec: { connection } }) => {
            const { name, key } = connection.secretRef
            const missing = missingKey(caches, namespace, { kind: 'Secret', name, key })
            if (missing) return waitFor(missing.reason, missing.message)
            const has = key === undefined ? 'is there' : `has the key ${key}`
            return pass('SecretResolved', `Secret ${name} ${has}`)
          },
        },
        reachable(ports, schedule),
      ],
    }),
    sources: [
      referrersSource('secrets', caches.secrets, caches.memories, ({ spec }) => [
        spec.connection.secretRef.name,
      ]),
    ],
    // A look at a store that does not answer takes seconds, and others should not wait for it.
    workers: 4,
    gone: (key) => schedule.forget(key),
  }
}
