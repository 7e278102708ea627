import { agentRun } from '@agents/jangar-api'
import { formatApiVersion, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyAuthority } from '../../support/testbed/authority.ts'
import { type ApiBed, startApiBed } from './api-bed.ts'
import { EventReader } from './events/event-reader.ts'

const runKind = kindRef<KubeObject>(agentRun)
const changes = 200
const readers = 150

let bed: ApiBed

beforeAll(async () => {
  bed = await startApiBed(anyAuthority)
})
afterAll(() => bed?.stop())

test('each reader sees each change once and in order, however often it is cut', async () => {
  const token = bed.tokens.operator ?? ''
  const all = Array.from({ length: readers }, () => new EventReader({ ...bed.listener, token }))
  const stranger = new EventReader({
    ...bed.listener,
    token: bed.tokens['reader of another namespace'] ?? '',
  })
  await Promise.all([...all, stranger].map((reader) => reader.connect()))
  for (let index = 0; index < changes; index += 1) {
    await bed.admin.create(runKind, {
      ...{ apiVersion: formatApiVersion(runKind), kind: runKind.kind },
      metadata: { namespace: 'red', name: `run-${index}` },
      spec: {
        agentRef: { name: 'writer' },
        implementation: { inline: { text: 'x' } },
        runtime: { type: 'job' },
      },
    } as KubeObject)
    all[(index * 7) % readers]?.cut()
  }
  const expected = Array.from({ length: changes }, (_, index) => `run-${index}`)
  await expect
    .poll(() => all.filter(({ names }) => names.length < changes).length, { timeout: 200_000 })
    .toBe(0)
  for (const reader of all) {
    expect(reader.names).toEqual(expected)
    expect(new Set(reader.events)).not.toContain('reset')
  }
  expect(all.flatMap(({ events }) => events)).toContain('resumed')
  expect(stranger.names).toEqual([])
  for (const reader of [...all, stranger]) reader.end()
})
