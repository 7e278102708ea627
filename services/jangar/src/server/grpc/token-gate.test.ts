import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { HealthCheckResponse_ServingStatus as ServingStatus } from './generated/grpc/health/v1/health_pb.ts'
import { codeOf, serveGrpc } from './testing/serve-grpc.ts'
import { isLoopback } from './token-gate.ts'

const { SERVING } = ServingStatus

describe('authentication by token', () => {
  const token = 'not-a-real-token'

  test.each<{ because: string; headers: Record<string, string>; passes: boolean }>([
    { because: 'no token', headers: {}, passes: false },
    {
      because: 'bearer token',
      headers: { authorization: `Bearer ${token}` },
      passes: true,
    },
    {
      because: 'lower-case scheme',
      headers: { authorization: `bearer ${token}` },
      passes: true,
    },
    { because: 'separate header', headers: { 'x-jangar-token': token }, passes: true },
    {
      because: 'one valid token of two',
      headers: { authorization: 'Bearer x', 'x-jangar-token': token },
      passes: true,
    },
    { because: 'wrong token', headers: { 'x-jangar-token': `${token}x` }, passes: false },
    { because: 'prefix of the token', headers: { 'x-jangar-token': 'not' }, passes: false },
    { because: 'empty token', headers: { authorization: 'Bearer ' }, passes: false },
    { because: 'another scheme', headers: { authorization: `Basic ${token}` }, passes: false },
  ])('$because: passes = $passes', async ({ headers, passes }) => {
    const { agentctl, health } = await serveGrpc({ token })
    const code = await codeOf(agentctl.getServerInfo({}, { headers }))
    expect(code).toBe(passes ? undefined : Code.Unauthenticated)
    expect((await health.check({ service: '' }, { headers })).status).toBe(SERVING)
  })

  test('logs a missing token setting once, and never the token itself', async () => {
    const guarded = await serveGrpc({ token })
    await codeOf(guarded.agentctl.getServerInfo({}))
    expect(guarded.lines.join('\n')).not.toContain(token)
    expect(guarded.lines.join('\n')).not.toContain('may call gRPC')
    const open = await serveGrpc()
    await open.agentctl.getServerInfo({})
    await open.agentctl.getServerInfo({})
    expect(open.lines.filter((line) => line.includes('JANGAR_GRPC_TOKEN'))).toHaveLength(1)
  })
})

describe('a server without a token', () => {
  test('that does not listen on loopback serves only health checks', async () => {
    const { agentctl, health, lines } = await serveGrpc({ host: '0.0.0.0' })
    expect(await codeOf(agentctl.getServerInfo({}))).toBe(Code.Unauthenticated)
    expect(await codeOf(agentctl.getControlPlaneStatus({}))).toBe(Code.Unauthenticated)
    const headers = { authorization: 'Bearer ', 'x-jangar-token': 'undefined' }
    expect(await codeOf(agentctl.getServerInfo({}, { headers }))).toBe(Code.Unauthenticated)
    expect((await health.check({ service: '' })).status).toBe(SERVING)
    expect(lines.join('\n')).toContain('accepts only health checks')
  })

  test('that does not listen on loopback serves calls once it has a token', async () => {
    const token = 'not-a-real-token'
    const { agentctl } = await serveGrpc({ host: '0.0.0.0', token })
    const headers = { 'x-jangar-token': token }
    expect(await codeOf(agentctl.getServerInfo({}, { headers }))).toBeUndefined()
  })

  test.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['', false],
    ['127.0.0.1.example.com', false],
    ['10.0.0.1', false],
  ])('listens on loopback at %s: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected)
  })
})
