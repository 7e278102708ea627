import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { HealthCheckResponse_ServingStatus as ServingStatus } from './generated/grpc/health/v1/health_pb.ts'
import { codeOf, serveGrpc } from './testing/serve-grpc.ts'

const { SERVING } = ServingStatus

describe('the token', () => {
  const token = 'not-a-real-token'

  test.each<{ because: string; headers: Record<string, string>; passes: boolean }>([
    { because: 'nothing is sent', headers: {}, passes: false },
    {
      because: 'it is sent as bearer',
      headers: { authorization: `Bearer ${token}` },
      passes: true,
    },
    {
      because: 'schemes have no case',
      headers: { authorization: `bearer ${token}` },
      passes: true,
    },
    { because: 'it has a header of its own', headers: { 'x-jangar-token': token }, passes: true },
    {
      because: 'one of two is enough',
      headers: { authorization: 'Bearer x', 'x-jangar-token': token },
      passes: true,
    },
    { because: 'it is another', headers: { 'x-jangar-token': `${token}x` }, passes: false },
    { because: 'it is a part', headers: { 'x-jangar-token': 'not' }, passes: false },
    { because: 'it is empty', headers: { authorization: 'Bearer ' }, passes: false },
    { because: 'another scheme', headers: { authorization: `Basic ${token}` }, passes: false },
  ])('$because: passes = $passes', async ({ headers, passes }) => {
    const { agentctl, health } = await serveGrpc({ token })
    const code = await codeOf(agentctl.getServerInfo({}, { headers }))
    expect(code).toBe(passes ? undefined : Code.Unauthenticated)
    expect((await health.check({ service: '' }, { headers })).status).toBe(SERVING)
  })

  test('is never logged, and its absence is logged once', async () => {
    const guarded = await serveGrpc({ token })
    await codeOf(guarded.agentctl.getServerInfo({}))
    expect(guarded.lines.join('\n')).not.toContain(token)
    expect(guarded.lines.join('\n')).not.toContain('open to whoever')
    const open = await serveGrpc()
    await open.agentctl.getServerInfo({})
    await open.agentctl.getServerInfo({})
    expect(open.lines.filter((line) => line.includes('JANGAR_GRPC_TOKEN'))).toHaveLength(1)
  })
})
