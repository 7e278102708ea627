import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'
import { controlPlaneStatus, type StatusPorts } from './control-plane-status.ts'

/** Whether the process serves gRPC, and where. */
export interface GrpcListener {
  readonly enabled: boolean
  readonly address: string
}

const names: Readonly<Record<ComponentStatus, string>> = {
  [ComponentStatus.UNSPECIFIED]: 'unknown',
  [ComponentStatus.UNKNOWN]: 'unknown',
  [ComponentStatus.HEALTHY]: 'healthy',
  [ComponentStatus.DEGRADED]: 'degraded',
  [ComponentStatus.DISABLED]: 'disabled',
}

/** The status of the control plane as JSON, in the names of the predecessor: `generated_at`, `crds_ready`. */
export async function statusRecord(
  ports: Omit<StatusPorts, 'address'>,
  { enabled, address }: GrpcListener,
  namespace: string,
  signal: AbortSignal,
): Promise<object> {
  const status = await controlPlaneStatus({ ...ports, address: () => address }, [namespace], signal)
  const disabled = { enabled: false, address: '', message: 'not enabled' }
  const grpc = enabled ? status.grpc : { ...disabled, status: ComponentStatus.DISABLED }
  return plain({ ...status, grpc }) as object
}

function plain(value: unknown, field = ''): unknown {
  if (field === 'status' && typeof value === 'number') return names[value as ComponentStatus]
  if (Array.isArray(value)) return value.map((each) => plain(each))
  if (value === null || typeof value !== 'object') return value
  if ('seconds' in value) return timestampDate(value as Timestamp).toISOString()
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith('$'))
      .map(([key, each]) => [snakeCase(key), plain(each, key)]),
  )
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
