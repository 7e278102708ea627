/**
 * An API server that forwards everything to another one except ConfigMaps, which it generates, and changes faster than
 * any server could store them. Its responses are those of a real server, so that the watchers under test are the real
 * ones. Runs in its own process.
 */
import {
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type ServerResponse,
} from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FeedAnswer, FeedOrder } from './feed.ts'
import { namespaceOf, type Shape } from './shape.ts'

/** Bytes buffered for one watcher, beyond which the feed pauses. */
const full = 4 * 1024 * 1024
const tickMs = 10

/** Whether each watcher requests full objects. */
const watchers = new Map<ServerResponse, boolean>()
const values: string[] = []
const versions: number[] = []
let revision = 1
let shape: Shape = 'flat'
let upstream = { url: '', caPem: '', token: '' }

const server = createServer((asked, answer) => {
  const url = new URL(asked.url ?? '/', 'http://feed')
  const isOurs = asked.method === 'GET' && url.pathname.endsWith('/configmaps')
  if (isOurs) serveConfigMaps(url.searchParams, isWhole(asked), answer)
  else passOn(asked, answer)
})

process.on('message', (order: FeedOrder) => {
  void obey(order).then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit())

async function obey(order: FeedOrder): Promise<FeedAnswer> {
  switch (order.kind) {
    case 'start': {
      upstream = order
      shape = order.shape
      for (let index = 0; index < order.objects; index += 1) set(index, 'first')
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return { port: (server.address() as AddressInfo).port }
    }
    case 'change':
      send([set(order.index, order.value)])
      return {}
    case 'burst':
      await burst(order)
      return {}
  }
}

/** Iterates over all objects, again and again. */
async function burst({ changes, perSecond }: FeedOrder & { kind: 'burst' }): Promise<void> {
  const started = performance.now()
  let sent = 0
  while (sent < changes) {
    const due = ((performance.now() - started) / 1000) * perSecond
    const upTo = Math.min(changes, Math.max(sent, Math.floor(due)))
    const changed: number[] = []
    for (; sent < upTo; sent += 1) changed.push(set(sent % values.length, `change ${sent}`))
    send(changed)
    await new Promise((resolve) => setTimeout(resolve, tickMs))
    while ([...watchers.keys()].some(({ writableLength }) => writableLength > full)) {
      await new Promise((resolve) => setTimeout(resolve, tickMs))
    }
  }
}

function set(index: number, value: string): number {
  revision += 1
  values[index] = value
  versions[index] = revision
  return index
}

function send(changed: readonly number[]): void {
  if (changed.length === 0) return
  for (const [watcher, whole] of watchers) {
    watcher.write(changed.map((index) => event('MODIFIED', index, whole)).join(''))
  }
}

function isWhole({ headers }: IncomingMessage): boolean {
  return !headers.accept?.includes('as=PartialObjectMetadata')
}

function serveConfigMaps(query: URLSearchParams, whole: boolean, answer: ServerResponse): void {
  answer.setHeader('content-type', 'application/json')
  if (query.get('watch') === null) {
    const items = values.map((_, index) => configMap(index, whole)).join(',')
    const metadata = `"metadata":{"resourceVersion":"${revision}"}`
    answer.end(`{"apiVersion":"v1","kind":"ConfigMapList",${metadata},"items":[${items}]}`)
    return
  }
  answer.writeHead(200)
  answer.flushHeaders()
  if (query.get('sendInitialEvents') === 'true') {
    for (const index of values.keys()) answer.write(event('ADDED', index, whole))
    const annotations = '"annotations":{"k8s.io/initial-events-end":"true"}'
    const metadata = `"metadata":{"resourceVersion":"${revision}",${annotations}}`
    const bookmark = `{"apiVersion":"v1","kind":"ConfigMap",${metadata}}`
    answer.write(`{"type":"BOOKMARK","object":${bookmark}}\n`)
  }
  watchers.set(answer, whole)
  answer.on('close', () => watchers.delete(answer))
}

function event(type: string, index: number, whole: boolean): string {
  return `{"type":"${type}","object":${configMap(index, whole)}}\n`
}

const filler = 'x'.repeat(1000)
const created = '"creationTimestamp":"2026-01-01T00:00:00Z"'
const managed = `"managedFields":[{"manager":"bench","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:key":{},"f:filler":{}}}}]`

function configMap(index: number, whole: boolean): string {
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const names = `"name":"c-${index}","namespace":"${namespaceOf(shape, index)}","uid":"${uid}"`
  const metadata = `{${names},"resourceVersion":"${versions[index]}",${created},${managed}}`
  if (!whole) {
    return `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":${metadata}}`
  }
  const data = `{"key":"${index} ${values[index]}","filler":"${filler}"}`
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata},"data":${data}}`
}

function passOn(asked: IncomingMessage, answer: ServerResponse): void {
  const url = new URL(asked.url ?? '/', upstream.url)
  const send = url.protocol === 'https:' ? request : plainRequest
  // Clients do not send their token over an unencrypted connection.
  const authorization = `Bearer ${upstream.token}`
  const headers = { ...asked.headers, host: url.host, authorization }
  const passed = send(url, { method: asked.method, headers, ca: upstream.caPem }, (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers)
    answer.flushHeaders()
    received.pipe(answer)
    received.on('error', () => answer.destroy())
  })
  passed.on('error', () => answer.destroy())
  answer.on('close', () => passed.destroy())
  asked.pipe(passed)
}
