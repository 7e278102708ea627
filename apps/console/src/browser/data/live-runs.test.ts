import { ApiClient } from '@agents/client'
import { expect, test } from 'vitest'
import { LiveRuns } from './live-runs.ts'

const run = { kind: 'AgentRun', namespace: 'red', name: 'x', uid: '1', createdAt: '2026-01-01' }

test('nothing of a session is left when it ends', async () => {
  const stream = [
    'id: a-0\nevent: ready\ndata: {}\n\n',
    `id: a-1\nevent: change\ndata: ${JSON.stringify({ type: 'ADDED', run })}\n\n`,
  ].join('')
  const end = new AbortController()
  const fetch = async (): Promise<Response> =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode(stream))
          end.signal.addEventListener('abort', () => controller.error(new Error('aborted')))
        },
      }),
    )
  const live = new LiveRuns(new ApiClient({ fetch }), {
    onReset: () => undefined,
    onKind: () => undefined,
  })
  const followed = live.follow(end.signal)
  await expect.poll(() => live.overlay().get('1')).toEqual(run)
  end.abort()
  await followed
  expect(live.overlay().size).toBe(0)
})
