import { type GateOf, pass, stall, wait } from '@agents/controller'
import type { Memory, memoryConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { AgentsPorts } from '../ports.ts'
import { readConnectionString, secretOf } from './connection-string.ts'
import type { Probe } from './probe/probe-outcome.ts'
import { probePostgres } from './probe/probe-postgres.ts'
import { probeRedis } from './probe/probe-redis.ts'
import type { Probed, ProbeSchedule } from './probe/probe-schedule.ts'

export interface MemoryDetail {
  readonly lastCheckedAt: string
}

type Reachable = GateOf<typeof memoryConditions, 'Reachable', Memory, MemoryDetail>
type Verdict = Awaited<ReturnType<Reachable['check']>>

/** The types of store that can be asked; others are taken to be there. */
const probes: { readonly [Type in Memory['spec']['type']]?: Probe } = {
  postgres: probePostgres,
  redis: probeRedis,
}

export function reachable({ client, caches }: AgentsPorts, schedule: ProbeSchedule): Reachable {
  return {
    condition: 'Reachable',
    check: async (memory, _detail, { now, signal }) => {
      const { type, connection } = memory.spec
      const probe = probes[type]
      if (!probe) return pass('NotProbed', `stores of type ${type} are taken to be there`)
      const { uid, generation } = memory.metadata
      const secret = caches.secrets.get(secretOf(memory))?.metadata
      const subject = [uid, generation, secret?.uid, secret?.resourceVersion].join(' ')
      const probed = await schedule.probe(formatKey(memory.metadata), subject, now, async () => {
        const address = await readConnectionString(client, memory, signal)
        if (address !== undefined) return probe(address, signal)
        return { kind: 'invalid', message: 'name its key' }
      })
      return verdict(probed, connection.secretRef.name)
    },
  }
}

function verdict({ outcome, at, dueInMs }: Probed, secret: string): Verdict {
  const detail = { lastCheckedAt: rfc3339(at) }
  switch (outcome.kind) {
    case 'reachable':
      return pass('Reachable', 'the store answers', { detail, recheckAfterMs: dueInMs })
    case 'unreachable':
      return wait('Unreachable', `${outcome.message}; Secret ${secret} says where it is`, dueInMs, {
        detail,
      })
    case 'refused':
      return wait('InvalidConnection', `${outcome.message}; Secret ${secret} has them`, dueInMs, {
        detail,
      })
    case 'invalid':
      return stall(
        'InvalidConnection',
        `Secret ${secret} holds no usable connection string: ${outcome.message}`,
        { detail },
      )
  }
}
