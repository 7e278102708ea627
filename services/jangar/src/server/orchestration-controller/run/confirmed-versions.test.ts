import { type OrchestrationRun, orchestrationRun } from '@agents/jangar-api'
import { type KubeClient, kindRef } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { ConfirmedVersions } from './confirmed-versions.ts'

function runAt(resourceVersion: string, uid = 'u1'): OrchestrationRun {
  return { metadata: { name: 'run', namespace: 'n', uid, resourceVersion } } as OrchestrationRun
}

function setUp() {
  const time = { elapsed: 0 }
  const server = { run: runAt('5'), requests: 0, answersAfterMs: 0 }
  const client = {
    get: async () => {
      server.requests += 1
      time.elapsed += server.answersAfterMs
      return server.run
    },
  } as unknown as Pick<KubeClient, 'get'>
  const clock = { elapsed: () => time.elapsed }
  const kind = kindRef<OrchestrationRun>(orchestrationRun)
  const versions = new ConfirmedVersions(client, kind, clock)
  const ask = (run: OrchestrationRun) => versions.isCurrent(run, new AbortController().signal)
  return { time, server, versions, ask }
}

describe('whether a run is as the server has it', () => {
  test('the server is asked, and its answer holds for a second', async () => {
    const { time, server, ask } = setUp()
    expect(await ask(runAt('5'))).toBe(true)
    time.elapsed += 999
    expect(await ask(runAt('5'))).toBe(true)
    expect(server.requests).toBe(1)
    server.run = runAt('6')
    time.elapsed += 1
    expect(await ask(runAt('5'))).toBe(false)
    expect(server.requests).toBe(2)
  })

  test.each([
    { because: 'another version is not confirmed', run: runAt('6') },
    { because: 'another run of the name is not confirmed', run: runAt('5', 'u2') },
  ])('$because', async ({ run }) => {
    const { server, ask } = setUp()
    await ask(runAt('5'))
    expect(await ask(run)).toBe(false)
    expect(server.requests).toBe(2)
  })

  test('an answer that was waited for during a pause of the process is not kept', async () => {
    const { server, ask } = setUp()
    server.answersAfterMs = 20_000
    expect(await ask(runAt('5'))).toBe(true)
    server.run = runAt('7')
    expect(await ask(runAt('5'))).toBe(false)
  })

  test('what changed is asked about again, and so is what was forgotten', async () => {
    const { server, versions, ask } = setUp()
    expect(await ask(runAt('4'))).toBe(false)
    expect(await ask(runAt('4'))).toBe(false)
    await ask(runAt('5'))
    versions.forget('n/run')
    await ask(runAt('5'))
    expect(server.requests).toBe(4)
  })
})
