import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  definitions,
  startWidgetServer,
  type TestServer,
  widget,
  widgetDefinition,
  widgets,
} from './testing/test-server.ts'
import { openWatch, type SeenEvent } from './testing/watch-client.ts'

let server: TestServer

beforeAll(async () => {
  server = await startWidgetServer()
})

afterAll(async () => {
  await server.stop()
})

interface UnreadWatch {
  /** `ended` if the response was completed, `cut` if it was aborted. */
  readonly ending: Promise<'ended' | 'cut'>
  /** Number of received bytes. */
  received(): number
  resume(): void
}

/** A client that sends a request and does not read the response. */
async function openUnread(url: string, path: string): Promise<UnreadWatch> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  let received = 0
  let tail = ''
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
  await once(socket, 'readable')
  const ending = new Promise<'ended' | 'cut'>((resolve) => {
    socket.on('error', () => resolve('cut'))
    socket.on('close', () => resolve(tail.endsWith('0\r\n\r\n') ? 'ended' : 'cut'))
  })
  return {
    ending,
    received: () => received,
    resume: () => {
      socket.on('data', (chunk) => {
        received += chunk.length
        tail = (tail + chunk.toString('latin1')).slice(-5)
      })
      socket.resume()
    },
  }
}

const merge = { 'Content-Type': 'application/merge-patch+json' }
function names(events: SeenEvent[]) {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`)
}
function now() {
  return server.environment.store.revision
}

describe('a watch', () => {
  test('without a resourceVersion starts with the existing objects', async () => {
    await server.send('POST', widgets, widget('first'))
    const events = await (
      await openWatch(`${server.url}${widgets}?watch=1&timeoutSeconds=1`)
    ).rest()
    expect(names(events)).toEqual(['ADDED first'])
  })

  test('sends headers before the first event', async () => {
    const answer = await fetch(
      `${server.url}${widgets}?watch=1&resourceVersion=${now()}&timeoutSeconds=1`,
    )
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.text()).toBe('')
  })

  test('is encoded once if it begins before the response before it has ended', async () => {
    await server.send('POST', widgets, widget('pipelined'))
    const { hostname, port } = new URL(server.url)
    const socket = connect({ host: hostname, port: Number(port) })
    const request = (seconds: number) =>
      `GET ${widgets}?watch=1&fieldSelector=metadata.name%3Dpipelined&timeoutSeconds=${seconds} HTTP/1.1\r\nHost: ${hostname}\r\n`
    socket.write(`${request(1)}\r\n${request(1)}Connection: close\r\n\r\n`)
    const chunks = await socket.toArray()
    const text = Buffer.concat(chunks).toString('utf8')
    // Each body is the size of its only event, the event, and the end.
    const bodies = text
      .split('HTTP/1.1 200 OK')
      .slice(1)
      .map((one) => one.split('\r\n\r\n')[1])
    expect(bodies).toHaveLength(2)
    for (const body of bodies) expect(body).toMatch(/^[0-9a-f]+\r\n\{"type":"ADDED",.*\}\n\r\n0$/)
  })

  test('sends changes in order, with the resourceVersion of the write', async () => {
    const watch = await openWatch(`${server.url}${widgets}?watch=1&resourceVersion=${now()}`)
    await server.send('POST', widgets, widget('live'))
    await server.send('PATCH', `${widgets}/live`, { spec: { size: 2 } }, merge)
    await server.send('DELETE', `${widgets}/live`)
    const events = [await watch.next(), await watch.next(), await watch.next()]
    watch.close()
    expect(names(events)).toEqual(['ADDED live', 'MODIFIED live', 'DELETED live'])
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion))
    expect(versions).toEqual([...versions].sort((a, b) => a - b))
    expect(new Set(versions).size).toBe(3)
  })

  test('sends objects that start or stop matching as ADDED and DELETED', async () => {
    const from = now()
    await server.send('POST', widgets, widget('moving', {}, { labels: { in: 'no' } }))
    for (const state of ['yes', 'still', 'no', 'yes']) {
      const labels = { in: state === 'still' ? 'yes' : state, state }
      await server.send('PATCH', `${widgets}/moving`, { metadata: { labels } }, merge)
    }
    await server.send('DELETE', `${widgets}/moving`)
    const url = `${server.url}${widgets}?watch=1&labelSelector=in%3Dyes&resourceVersion=${from}&timeoutSeconds=1`
    const events = await (await openWatch(url)).rest()
    expect(
      events.map(({ type, object }) => [type, (object.metadata.labels as { state: string }).state]),
    ).toEqual([
      ['ADDED', 'yes'],
      ['MODIFIED', 'still'],
      // The last matching state, with the resourceVersion of the change.
      ['DELETED', 'still'],
      ['ADDED', 'yes'],
      ['DELETED', 'yes'],
    ])
    const left = Number(events[2]?.object.metadata.resourceVersion)
    expect(left).toBeGreaterThan(Number(events[1]?.object.metadata.resourceVersion))
  })

  test('with sendInitialEvents ends the initial events with an annotated bookmark', async () => {
    const query =
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const watch = await openWatch(
      `${server.url}${widgets}?${query}&fieldSelector=metadata.name%3Dfirst`,
    )
    expect((await watch.next()).type).toBe('ADDED')
    const bookmark = await watch.next()
    watch.close()
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Widget',
        apiVersion: 'example.dev/v1',
        metadata: {
          resourceVersion: String(now()),
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      },
    })
  })

  test('can send metadata only', async () => {
    const watch = await openWatch(
      `${server.url}${widgets}?watch=1&fieldSelector=metadata.name%3Dfirst`,
      {
        Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      },
    )
    const { object } = await watch.next()
    watch.close()
    expect(Object.keys(object)).toEqual(['kind', 'apiVersion', 'metadata'])
    expect(object.kind).toBe('PartialObjectMetadata')
  })

  test('is closed if its client does not read, without effect on others', async () => {
    const other = await startWidgetServer()
    const path = `${widgets}?watch=1&resourceVersion=${other.environment.store.revision}`
    const slow = await openUnread(other.url, path)
    const quick = await openWatch(other.url + path)
    const seen: string[] = []
    const reading = (async () => {
      for (;;) seen.push((await quick.next()).object.metadata.name)
    })().catch(() => undefined)
    // Far more than the server buffers for a watch and the system for a connection.
    const written = Array.from({ length: 32 }, (_, n) => `large-${n}`)
    for (const name of written) {
      await other.send('POST', widgets, widget(name, { spec: { padding: 'x'.repeat(1_000_000) } }))
    }
    // The end follows the data in the buffers of the system.
    slow.resume()
    expect(await slow.ending).toBe('cut')
    expect(slow.received()).toBeLessThan(written.length * 1_000_000)

    await expect.poll(() => seen.length, { timeout: 240_000 }).toBe(written.length)
    expect(seen).toEqual(written)
    quick.close()
    await reading
    await other.stop()
  })

  test('sends initial events beyond the limit of unread bytes as fast as they are read', async () => {
    const other = await startWidgetServer()
    const present = Array.from({ length: 32 }, (_, n) => `large-${String(n).padStart(2, '0')}`)
    for (const name of present) {
      await other.send('POST', widgets, widget(name, { spec: { padding: 'x'.repeat(1_000_000) } }))
    }
    const initial =
      'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'
    const path = `${widgets}?${initial}&timeoutSeconds=600`
    const late = await openUnread(other.url, path)
    const quick = await openWatch(other.url + path)
    const seen: string[] = []
    for (;;) {
      const { type, object } = await quick.next()
      if (type === 'BOOKMARK') break
      seen.push(object.metadata.name)
    }
    quick.close()
    expect(seen).toEqual(present)
    late.resume()
    await expect.poll(() => late.received(), { timeout: 240_000 }).toBeGreaterThan(32_000_000)
    await other.stop()
  })

  test('ends when the definition of its kind changes', async () => {
    const names = { plural: 'shorts', kind: 'Short' }
    const definition = { ...widgetDefinition({ names }), metadata: { name: 'shorts.example.dev' } }
    await server.send('POST', definitions, definition)
    const path = widgets.replace('widgets', 'shorts')
    const watch = await openWatch(`${server.url}${path}?watch=1&resourceVersion=${now()}`)
    await server.send(
      'PATCH',
      `${definitions}/shorts.example.dev`,
      { spec: { names: { ...names, categories: ['all'] } } },
      merge,
    )
    expect(await watch.rest()).toEqual([])
  })

  test('ends when the server stops', async () => {
    const other = await startWidgetServer()
    const watch = await openWatch(`${other.url}${widgets}?watch=1`)
    const ended = watch.rest()
    await other.stop()
    expect(await ended).toEqual([])
  })
})
