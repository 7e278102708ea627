import { setTimeout as delay } from 'node:timers/promises'
import { agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyAuthority } from '../../support/testbed/authority.ts'
import { isFull } from '../../support/tier.ts'
import { type ApiBed, startApiBed } from './api-bed.ts'
import { startPlaneProcess } from './plane-process.ts'

const runKind = kindRef<KubeObject>(agentRun)
const spec = {
  agentRef: { name: 'writer' },
  implementation: { inline: { text: 'x' } },
  runtime: { type: 'job' },
}
const submits = 100

let bed: ApiBed
beforeAll(async () => {
  bed = await startApiBed(anyAuthority, { planeCount: 0 })
})
afterAll(() => bed?.stop())

function submit(port: number, key: string, body: object) {
  return bed.askPort(port, '/v1/runs', {
    method: 'POST',
    token: bed.tokens.operator,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
}

async function runs(): Promise<number> {
  return (await bed.admin.list(runKind, { namespace: 'red' })).items.length
}

test('100 submits with one key make one run, though a control plane is killed among them', async () => {
  const stays = await startPlaneProcess(bed.environment)
  let dies = await startPlaneProcess(bed.environment)
  let cuts = 0
  // From before the first request is read until most are answered; the first round cuts the most.
  const pauses = isFull ? [0, 30, 100] : [0]
  for (const [round, pauseMs] of pauses.entries()) {
    const key = `release-${round}`
    const body = { namespace: 'red', spec }
    const before = await runs()
    const sent = Array.from({ length: submits }, async (_, index) => {
      try {
        return await submit(index % 2 === 0 ? dies.port : stays.port, key, body)
      } catch {
        // The client cannot know whether the run was created, and asks the other one.
        cuts += 1
        return await submit(stays.port, key, body)
      }
    })
    await Promise.race(sent)
    await delay(pauseMs)
    await dies.kill()
    const replies = await Promise.all(sent)
    const uids = replies.map(({ text }) => JSON.parse(text).run?.uid)
    expect(new Set(uids).size).toBe(1)
    expect(uids[0]).toBeTypeOf('string')
    // None if the answer to the first was cut.
    expect(replies.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1)
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([200, 201]))).toEqual(
      new Set(),
    )
    expect(await runs()).toBe(before + 1)
    dies = await startPlaneProcess(bed.environment, dies.port)
    const changed = { namespace: 'red', spec: { ...spec, agentRef: { name: 'other' } } }
    for (const { port } of [dies, stays]) {
      expect((await submit(port, key, changed)).status).toBe(409)
      expect((await submit(port, key, body)).status).toBe(200)
    }
  }
  expect(cuts).toBeGreaterThan(0)
})
