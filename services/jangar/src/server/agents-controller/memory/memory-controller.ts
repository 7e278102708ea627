import { type KindController, livingReconciler, pass } from '@agents/controller'
import { type Memory, memoryConditions } from '@agents/jangar-api'
import { missingKey } from '../../kubernetes/missing-key.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { waitFor } from '../../kubernetes/wait-for.ts'
import type { AgentsPorts } from '../ports.ts'
import { embeddingsToken } from './embeddings-token.ts'
import { reachable } from './gates/reachable.ts'
import { ProbeSchedule } from './probe/probe-schedule.ts'

/** Reconciles Memories: ready if their stores are reachable. */
export function memoryController(ports: AgentsPorts): KindController<Memory> {
  const { caches, clock } = ports
  const schedule = new ProbeSchedule(() => clock.elapsed())
  return {
    primary: caches.memories,
    reconciler: livingReconciler({
      kind: 'Memory',
      conditions: memoryConditions,
      clockFields: { stamped: ['updatedAt'], passive: ['lastCheckedAt'] },
      gates: [
        {
          condition: 'CredentialsResolved',
          check: (memory) => {
            const { namespace } = memory.metadata
            const { name, key } = memory.spec.connection.secretRef
            const token = embeddingsToken(memory)
            const missing =
              missingKey(caches, namespace, { kind: 'Secret', name, key }) ??
              (token && missingKey(caches, namespace, token))
            if (missing) return waitFor(missing.reason, missing.message)
            const has = key === undefined ? 'exists' : `has the key ${key}`
            return pass('SecretResolved', `Secret ${name} ${has}`)
          },
        },
        reachable(ports, schedule),
      ],
    }),
    sources: [
      referrersSource('secrets', caches.secrets, caches.memories, (memory) => {
        const token = embeddingsToken(memory)
        return [memory.spec.connection.secretRef.name, ...(token ? [token.name] : [])]
      }),
    ],
    // Probing an unreachable store takes seconds, which must not delay others.
    workers: 4,
    gone: (key) => schedule.forget(key),
  }
}
