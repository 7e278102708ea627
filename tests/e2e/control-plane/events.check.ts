import { get } from 'node:https'
import { agentRun } from '@agents/jangar-api'
import { bearer, formatApiVersion, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bestAuthority } from '../../support/testbed/authority.ts'
import { type ApiBed, startApiBed } from './api-bed.ts'

const runKind = kindRef<KubeObject>(agentRun)
const changes = 200
const readers = 150

let bed: ApiBed

beforeAll(async () => {
  bed = await startApiBed(bestAuthority)
})
afterAll(() => bed?.stop())

/** A reader that reconnects as browsers do, and is cut now and then. */
class Reader {
  readonly names: string[] = []
  readonly events: string[] = []
  last = ''
  #request: ReturnType<typeof get> | undefined
  #isOver = false
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  connect(): Promise<void> {
    return new Promise((resolve) => {
      const { port, ca } = bed.listener
      const headers = {
        authorization: bearer(this.#token),
        ...(this.last !== '' && { 'last-event-id': this.last }),
      }
      const options = { host: '127.0.0.1', port, ca, path: '/v1/events', headers, agent: false }
      let rest = ''
      const again = (): void => {
        if (!this.#isOver) void this.connect()
      }
      this.#request = get(options, (response) => {
        response.setEncoding('utf8').on('data', (text: string) => {
          const blocks = `${rest}${text}`.split('\n\n')
          rest = blocks.pop() ?? ''
          for (const block of blocks) this.#take(block)
          resolve()
        })
        response.on('error', () => undefined)
        response.on('close', again)
      })
      this.#request.on('error', () => undefined)
    })
  }

  #take(block: string): void {
    const id = /^id: (.*)$/m.exec(block)?.[1]
    if (id !== undefined) this.last = id
    const event = /^event: (.*)$/m.exec(block)?.[1]
    if (event !== undefined && event !== 'change') this.events.push(event)
    const name = /"name":"([^"]+)"/.exec(block)?.[1]
    if (name !== undefined) this.names.push(name)
  }

  cut(): void {
    this.#request?.destroy()
  }

  end(): void {
    this.#isOver = true
    this.cut()
  }
}

test('each reader sees each change once and in order, however often it is cut', async () => {
  const token = bed.tokens.operator ?? ''
  const all = Array.from({ length: readers }, () => new Reader(token))
  const stranger = new Reader(bed.tokens['reader of another namespace'] ?? '')
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
    .poll(() => all.filter(({ names }) => names.length < changes).length, { timeout: 60_000 })
    .toBe(0)
  for (const reader of all) {
    expect(reader.names).toEqual(expected)
    expect(new Set(reader.events)).not.toContain('reset')
  }
  expect(all.flatMap(({ events }) => events)).toContain('resumed')
  expect(stranger.names).toEqual([])
  for (const reader of [...all, stranger]) reader.end()
})
