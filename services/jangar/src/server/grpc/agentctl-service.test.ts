import { Code, createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { describe, expect, test } from 'vitest'
import { AgentctlService, ComponentStatus } from './generated/proompteng/jangar/v1/agentctl_pb.ts'
import { codeOf, serveGrpc } from './testing/serve-grpc.ts'

describe('GetServerInfo', () => {
  test.each([
    ['gRPC', createGrpcTransport],
    [
      'Connect',
      (options: { baseUrl: string }) => createConnectTransport({ ...options, httpVersion: '2' }),
    ],
  ] as const)('supports %s', async (_protocol, transportTo) => {
    const { url } = await serveGrpc()
    const client = createClient(AgentctlService, transportTo({ baseUrl: url }))
    expect(await client.getServerInfo({})).toMatchObject({
      version: '1.2.3',
      buildSha: 'abc',
      buildTime: '',
      service: 'agents-control-plane',
    })
  })
})

describe('GetControlPlaneStatus', () => {
  test('reports unknown components with the reason', async () => {
    const { agentctl, url } = await serveGrpc()
    const status = await agentctl.getControlPlaneStatus({})
    expect(status.grpc).toMatchObject({ enabled: true, address: url.slice('http://'.length) })
    expect(status.controllers).toMatchObject([
      { name: 'agents-controller', status: ComponentStatus.UNKNOWN, started: false },
    ])
    expect(status.database).toMatchObject({ configured: false, status: ComponentStatus.DISABLED })
    expect(status.namespaces).toMatchObject([
      { namespace: 'agents', status: ComponentStatus.UNKNOWN },
    ])
  })

  test('fails for a namespace that is not reconciled', async () => {
    const { agentctl } = await serveGrpc()
    const call = agentctl.getControlPlaneStatus({ namespace: 'other' })
    expect(await codeOf(call)).toBe(Code.NotFound)
  })
})
