import { whenAborted } from '@agents/controller'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import {
  type Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from './generated/grpc/health/v1/health_pb.ts'
import type { Readiness } from './readiness.ts'

interface HealthPorts {
  /** Fully qualified names. */
  readonly services: readonly string[]
  readonly readiness: Readiness
  /** Ends watches. */
  readonly closing: AbortSignal
}

/** Every service has the readiness of the process. */
export function healthService({
  services,
  readiness,
  closing,
}: HealthPorts): ServiceImpl<typeof Health> {
  // The empty name refers to the whole server.
  const known = new Set(['', ...services])
  return {
    check: async ({ service }) => {
      if (!known.has(service)) throw new ConnectError('unknown service', Code.NotFound)
      return { status: statusOf(await readiness.isReady()) }
    },
    watch: async function* ({ service }, { signal }) {
      const ended = AbortSignal.any([signal, closing])
      if (known.has(service)) {
        for await (const ready of readiness.changes(ended)) yield { status: statusOf(ready) }
      } else {
        yield { status: ServingStatus.SERVICE_UNKNOWN }
        await whenAborted(ended)
      }
      if (closing.aborted) throw new ConnectError('the server is shutting down', Code.Unavailable)
    },
  }
}

function statusOf(ready: boolean): ServingStatus {
  return ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING
}
