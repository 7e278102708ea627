import { whenAborted } from '@agents/controller'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import {
  type Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from './generated/grpc/health/v1/health_pb.ts'
import type { Readiness } from './readiness.ts'

export interface HealthPorts {
  /** Full names. */
  readonly services: readonly string[]
  readonly readiness: Readiness
  /** Ends those who watch. */
  readonly closing: AbortSignal
}

/** Every service is as ready as the process is. */
export function healthService({
  services,
  readiness,
  closing,
}: HealthPorts): ServiceImpl<typeof Health> {
  // The empty name stands for the server as a whole.
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
      if (closing.aborted) throw new ConnectError('the server stops', Code.Unavailable)
    },
  }
}

function statusOf(ready: boolean): ServingStatus {
  return ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING
}
