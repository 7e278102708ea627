import { systemClock } from '@agents/controller'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { HealthCheckResponse_ServingStatus as ServingStatus } from './generated/grpc/health/v1/health_pb.ts'
import { codeOf, pollOptions, serveGrpc } from './testing/serve-grpc.ts'

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = ServingStatus

describe('health', () => {
  test.each(['', 'grpc.health.v1.Health', 'proompteng.jangar.v1.AgentctlService'])(
    'of "%s" follows readiness',
    async (service) => {
      let problem: Error | undefined
      const { health } = await serveGrpc({ readiness: { caches: () => throwIf(problem) } })
      const statusOf = async () => (await health.check({ service })).status
      expect(await statusOf()).toBe(SERVING)
      problem = new Error('not synced')
      await expect.poll(statusOf, pollOptions).toBe(NOT_SERVING)
      problem = undefined
      await expect.poll(statusOf, pollOptions).toBe(SERVING)
    },
  )

  test('of an unknown service is not found', async () => {
    const { health } = await serveGrpc()
    expect(await codeOf(health.check({ service: 'proompteng.Other' }))).toBe(Code.NotFound)
  })

  test('can be watched: sends each change once, announces shutdown and ends with UNAVAILABLE', async () => {
    let problem: Error | undefined = new Error('not synced')
    const { health, stopping, stop } = await serveGrpc({
      readiness: { caches: () => throwIf(problem) },
    })
    const seen: ServingStatus[] = []
    const ended = codeOf(collect(health.watch({ service: '' }), seen))
    await expect.poll(() => seen, pollOptions).toEqual([NOT_SERVING])
    problem = undefined
    await expect.poll(() => seen, pollOptions).toEqual([NOT_SERVING, SERVING])
    stopping.abort()
    await expect.poll(() => seen, pollOptions).toEqual([NOT_SERVING, SERVING, NOT_SERVING])
    await stop()
    expect(await ended).toBe(Code.Unavailable)
    expect(seen).toHaveLength(3)
  })

  test('of an unknown service can be watched', async () => {
    const { health, stop } = await serveGrpc()
    const seen: ServingStatus[] = []
    const ended = codeOf(collect(health.watch({ service: 'later' }), seen))
    await expect.poll(() => seen, pollOptions).toEqual([SERVICE_UNKNOWN])
    await stop()
    expect(await ended).toBe(Code.Unavailable)
  })

  test('runs the checks once for concurrent callers', async () => {
    let asked = 0
    const { health } = await serveGrpc({
      readiness: {
        caches: () => {
          asked += 1
        },
      },
      // Time does not advance, so the result stays fresh.
      clock: { ...systemClock, elapsed: () => 0 },
    })
    await Promise.all(Array.from({ length: 20 }, () => health.check({ service: '' })))
    expect(asked).toBe(1)
  })
})

function throwIf(problem: Error | undefined): void {
  if (problem) throw problem
}

async function collect(
  stream: AsyncIterable<{ readonly status: ServingStatus }>,
  into: ServingStatus[],
): Promise<void> {
  for await (const { status } of stream) into.push(status)
}
