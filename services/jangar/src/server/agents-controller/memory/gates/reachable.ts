import { type GateOf, pass, stall, wait } from '@agents/controller'
import type { Memory, memoryConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { AgentsPorts } from '../../ports.ts'
import { readConnectionString, secretOf } from '../connection-string.ts'
import type { Probe } from '../probe/probe-outcome.ts'
import { probePostgres } from '../probe/probe-postgres.ts'
import { probeRedis } from '../probe/probe-redis.ts'
import type { Probed, ProbeSchedule } from '../probe/probe-schedule.ts'

interface MemoryDetail {
  readonly lastCheckedAt: string
}

type Reachable = GateOf<typeof memoryConditions, 'Reachable', Memory, MemoryDetail>
type Verdict = Awaited<ReturnType<Reachable['check']>>

/** Probes by type of store. Stores of other types are assumed to be reachable. */
const probes: { readonly [Type in Memory['spec']['type']]?: Probe } = {
  postgres: probePostgres,
  redis: probeRedis,
}

export function reachable(
  { client, caches, log }: AgentsPorts,
  schedule: ProbeSchedule,
): Reachable {
  return {
    condition: 'Reachable',
    check: async (memory, _detail, { now, signal }) => {
      const { type, connection } = memory.spec
      const probe = probes[type]
      if (!probe) return pass('NotProbed', `stores of type ${type} are not probed`)
      const { uid, generation } = memory.metadata
      const secret = caches.secrets.get(secretOf(memory))?.metadata
      const subject = [uid, generation, secret?.uid, secret?.resourceVersion].join(' ')
      const probed = await schedule.probe(formatKey(memory.metadata), subject, now, async () => {
        const address = await readConnectionString(client, memory, signal)
        if (address === undefined)
          return { kind: 'invalid', message: 'set connection.secretRef.key' }
        const outcome = await probe(address, signal)
        if (outcome.kind === 'unreachable') {
          const { namespace, name } = memory.metadata
          log.info('memory unreachable', { namespace, memory: name, detail: outcome.message })
        }
        return outcome
      })
      return verdict(probed, type, connection.secretRef.name)
    },
  }
}

function verdict({ outcome, at, dueInMs }: Probed, type: string, secret: string): Verdict {
  const detail = { lastCheckedAt: rfc3339(at) }
  switch (outcome.kind) {
    case 'reachable':
      return pass('Reachable', 'the store is reachable', { detail, recheckAfterMs: dueInMs })
    case 'unreachable':
      // The message does not depend on the error: the author of a Memory could use it to find open ports in the
      // network.
      return wait(
        'Unreachable',
        `the ${type} store at the address in Secret ${secret} is not reachable; see the log of the controllers for details`,
        dueInMs,
        { detail },
      )
    case 'refused':
      return wait('InvalidConnection', `${outcome.message}; check Secret ${secret}`, dueInMs, {
        detail,
      })
    case 'invalid':
      return stall(
        'InvalidConnection',
        `Secret ${secret} does not contain a valid connection string: ${outcome.message}`,
        { detail },
      )
  }
}
