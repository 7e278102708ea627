import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { serverMethods } from './caller-methods.ts'
import type { AgentctlService } from './generated/proompteng/jangar/v1/agentctl_pb.ts'
import { controlPlaneStatus, type StatusPorts, serviceName } from './status/control-plane-status.ts'

export interface ServerInfo {
  readonly version: string
  /** Undefined if the build does not specify it. */
  readonly buildSha: string | undefined
  readonly buildTime: string | undefined
}

export function agentctlService(
  { version, buildSha = '', buildTime = '' }: ServerInfo,
  ports: StatusPorts,
): Pick<ServiceImpl<typeof AgentctlService>, (typeof serverMethods)[number]> {
  return {
    getServerInfo: () => ({ version, buildSha, buildTime, service: serviceName }),
    getControlPlaneStatus: ({ namespace }, { signal }) =>
      controlPlaneStatus(ports, requestedNamespaces(namespace, ports.namespaces), signal),
  }
}

function requestedNamespaces(namespace: string, reconciled: readonly string[]): readonly string[] {
  if (namespace === '') return reconciled
  if (reconciled.includes('*') || reconciled.includes(namespace)) return [namespace]
  throw new ConnectError(
    `namespace ${namespace} is not reconciled; reconciled namespaces: ${reconciled.join(', ')}`,
    Code.NotFound,
  )
}
