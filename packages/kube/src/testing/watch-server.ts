import type { ServerResponse } from 'node:http'
import type { KubeObject } from '../object.ts'
import {
  answerJson,
  failure,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server.ts'

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** A fault of the next responses. Returns true if it has answered in place of the server. */
export type Fault = (request: ScriptedRequest, response: ServerResponse) => boolean

/** Serves lists and watches of ConfigMaps of one namespace, correctly except for requested faults. */
export interface WatchServer {
  readonly server: ScriptedServer
  readonly objects: ReadonlyMap<string, KubeObject>
  readonly revision: number
  /** Undefined: no fault. */
  fault: Fault | undefined
  /** Cuts watches after this many bytes of their bodies. */
  cutAfter: number | undefined
  watchList: boolean
  put(name: string, data?: Record<string, string>): void
  remove(name: string): void
  /** Watches from versions before the current one are answered with 410. */
  compact(): void
  bookmark(): void
  endWatches(): void
  readonly watching: number
}

interface Watcher {
  readonly response: ServerResponse
  sent: number
}

export async function startWatchServer(): Promise<WatchServer> {
  const objects = new Map<string, KubeObject>()
  const log: { revision: number; type: EventType; object: KubeObject }[] = []
  const watchers = new Set<Watcher>()
  let revision = 100
  let uids = 0
  let compacted = 0

  const send = (watcher: Watcher, line: string): void => {
    const bytes = Buffer.from(line)
    const room = (handle.cutAfter ?? Number.POSITIVE_INFINITY) - watcher.sent
    watcher.sent += bytes.length
    if (bytes.length < room) {
      watcher.response.write(bytes)
      return
    }
    watchers.delete(watcher)
    watcher.response.write(bytes.subarray(0, Math.max(0, room)), () => watcher.response.destroy())
  }
  const record = (type: EventType, object: KubeObject): void => {
    log.push({ revision, type, object })
    for (const watcher of watchers) send(watcher, eventLine(type, object))
  }
  const list = ({ query }: ScriptedRequest, response: ServerResponse): void => {
    const all = [...objects.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    const [at, after] = (query.get('continue') ?? `${revision}:`).split(':')
    const rest = all.filter(({ metadata }) => metadata.name > (after ?? ''))
    if (Number(at) < compacted) {
      answerJson(response, 410, failure(410, 'Expired'))
      return
    }
    const limit = Number(query.get('limit') ?? '0') || rest.length
    const items = rest.slice(0, limit)
    const token = rest.length > limit ? `${at}:${items.at(-1)?.metadata.name}` : undefined
    const metadata = { resourceVersion: at, ...(token !== undefined && { continue: token }) }
    answerJson(response, 200, { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items })
  }
  const watch = ({ query }: ScriptedRequest, response: ServerResponse): void => {
    const initial = query.get('sendInitialEvents') === 'true'
    if (initial && !handle.watchList) {
      answerJson(response, 422, failure(422, 'Invalid'))
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const watcher = { response, sent: 0 }
    const since = Number(query.get('resourceVersion') ?? '0')
    if (initial || since === 0) {
      for (const object of objects.values()) send(watcher, eventLine('ADDED', object))
      const annotations = { 'k8s.io/initial-events-end': 'true' }
      if (initial) send(watcher, bookmarkLine(revision, annotations))
    } else if (since < compacted) {
      send(watcher, `${JSON.stringify({ type: 'ERROR', object: failure(410, 'Expired') })}\n`)
      response.end()
      return
    } else {
      for (const event of log) {
        if (event.revision > since) send(watcher, eventLine(event.type, event.object))
      }
    }
    if (response.destroyed) return
    watchers.add(watcher)
    response.on('close', () => watchers.delete(watcher))
  }
  const server = await startScriptedServer((request, response) => {
    if (handle.fault?.(request, response) === true) return
    if (request.query.get('watch') === 'true') watch(request, response)
    else list(request, response)
  })
  const handle: WatchServer = {
    server,
    objects,
    get revision() {
      return revision
    },
    fault: undefined,
    cutAfter: undefined,
    watchList: true,
    put: (name, data = {}) => {
      revision++
      const old = objects.get(name)
      const uid = old?.metadata.uid ?? `uid-${++uids}`
      const metadata = { name, namespace: 'team', uid, resourceVersion: String(revision) }
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
      objects.set(name, object)
      record(old === undefined ? 'ADDED' : 'MODIFIED', object)
    },
    remove: (name) => {
      const old = objects.get(name)
      if (old === undefined) return
      revision++
      objects.delete(name)
      const metadata = { ...old.metadata, resourceVersion: String(revision) }
      record('DELETED', { ...old, metadata })
    },
    compact: () => {
      compacted = revision
    },
    bookmark: () => {
      for (const watcher of watchers) send(watcher, bookmarkLine(revision))
    },
    endWatches: () => {
      for (const { response } of watchers) response.end()
      watchers.clear()
    },
    get watching() {
      return watchers.size
    },
  }
  return handle
}

function eventLine(type: EventType, object: KubeObject): string {
  return `${JSON.stringify({ type, object })}\n`
}

function bookmarkLine(revision: number, annotations?: Record<string, string>): string {
  const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`
}
