import { systemClock } from '@agents/controller'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { HealthCheckResponse_ServingStatus as ServingStatus } from './generated/grpc/health/v1/health_pb.ts'
import { codeOf, patience, serveGrpc } from './testing/serve-grpc.ts'

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
      await expect.poll(statusOf, patience).toBe(NOT_SERVING)
      problem = undefined
      await expect.poll(statusOf, patience).toBe(SERVING)
    },
  )

  test('of a service that is not there is not found', async () => {
    const { health } = await serveGrpc()
    expect(await codeOf(health.check({ service: 'proompteng.Other' }))).toBe(Code.NotFound)
  })

  test('can be watched: each change once, the end announced, then UNAVAILABLE', async () => {
    let problem: Error | undefined = new Error('not synced')
    const { health, stopping, stop } = await serveGrpc({
      readiness: { caches: () => throwIf(problem) },
    })
    const seen: ServingStatus[] = []
    const ended = codeOf(collect(health.watch({ service: '' }), seen))
    await expect.poll(() => seen, patience).toEqual([NOT_SERVING])
    problem = undefined
    await expect.poll(() => seen, patience).toEqual([NOT_SERVING, SERVING])
    stopping.abort()
    await expect.poll(() => seen, patience).toEqual([NOT_SERVING, SERVING, NOT_SERVING])
    await stop()
    expect(await ended).toBe(Code.Unavailable)
    expect(seen).toHaveLength(3)
  })

  test('of a service that is not there can be watched too', async () => {
    const { health, stop } = await serveGrpc()
    const seen: ServingStatus[] = []
    const ended = codeOf(collect(health.watch({ service: 'later' }), seen))
    await expect.poll(() => seen, patience).toEqual([SERVICE_UNKNOWN])
    await stop()
    expect(await ended).toBe(Code.Unavailable)
  })

  test('is not asked about more often because more people watch', async () => {
    let asked = 0
    const { health } = await serveGrpc({
      readiness: {
        caches: () => {
          asked += 1
        },
      },
      // No time passes, so there is nothing new to be learnt.
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
