import type { Socket } from 'node:net'
import type { KubeObject } from '@agents/kube'
import { formatApiVersion, stringifyJson } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { ListOptions } from '../rest/list-options.ts'
import { parseResourceVersion } from '../rest/resource-version.ts'
import { type WatchEvent, watchObjects } from '../rest/watch.ts'
import type { Store, Watch } from '../store/store.ts'
import { setWarnings } from './respond.ts'
import { type Answer, watchForm } from './send-objects.ts'
import type { WatchSet } from './watch-set.ts'

const bookmarkIntervalMs = 60_000
/** How long before its end a watch gets a last bookmark. */
const lastBookmarkMs = 2_000
/** Without a timeout of its own a watch lives one to two times this. */
const minimumLifeMs = 1_800_000
/** Node takes longer ones for very short ones. */
const longestTimer = 2 ** 31 - 1
/** A watcher that leaves this much unread is cut off. */
const unreadLimit = 16 * 1024 * 1024
/** So much of what is there already is sent ahead of a watcher. */
const initialAhead = 1024 * 1024

/** Serves one watch until its time is up, the client leaves, it is too slow, or the resource changes. */
export async function serveWatch(
  store: Store,
  watches: WatchSet,
  answer: Answer,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<void> {
  parseResourceVersion(options.resourceVersion)
  const { request, response } = answer
  response.statusCode = 200
  setWarnings(response, answer.warnings)
  response.setHeader('Content-Type', 'application/json')
  // Clients wait for the headers before they wait for events.
  response.flushHeaders()
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  request.socket.setNoDelay(true)

  const lifeMs =
    options.timeoutSeconds === undefined || options.timeoutSeconds <= 0
      ? minimumLifeMs * (1 + Math.random())
      : Math.min(options.timeoutSeconds * 1000, longestTimer)
  await new Promise<void>((resolve, reject) => {
    const stream = new WatchStream(store, watches, answer, resource, options, lifeMs, () => {
      watches.remove(stream)
      resolve()
    })
    watches.add(stream)
    stream.run(namespace).catch((error: unknown) => {
      stream.end()
      reject(error)
    })
  })
}

class WatchStream {
  readonly resource: Resource
  readonly #store: Store
  readonly #watches: WatchSet
  readonly #answer: Answer
  readonly #options: ListOptions
  readonly #onEnd: () => void
  readonly #timers: NodeJS.Timeout[] = []
  readonly #closing = Promise.withResolvers<void>()
  #watch: Watch | undefined
  #closed = false
  #gathering = false
  #firstEvent = true
  #lastBookmark = 0

  constructor(
    store: Store,
    watches: WatchSet,
    answer: Answer,
    resource: Resource,
    options: ListOptions,
    lifeMs: number,
    onEnd: () => void,
  ) {
    this.#store = store
    this.#watches = watches
    this.#answer = answer
    this.resource = resource
    this.#options = options
    this.#onEnd = onEnd
    answer.response.once('close', () => this.#close())
    answer.response.once('error', () => this.#close())
    this.#timers.push(setTimeout(() => this.end(), lifeMs))
    if (options.allowWatchBookmarks) {
      this.#timers.push(setInterval(() => this.#bookmark(), bookmarkIntervalMs))
      if (lifeMs > lastBookmarkMs) {
        this.#timers.push(setTimeout(() => this.#bookmark(), lifeMs - lastBookmarkMs))
      }
    }
  }

  async run(namespace: string): Promise<void> {
    const watch = await watchObjects(
      this.#store,
      this.resource,
      namespace,
      this.#options,
      (event) => this.#send(event),
      { isClosed: () => this.#closed, caughtUp: () => this.#caughtUp() },
    )
    if (this.#closed) watch.close()
    else this.#watch = watch
  }

  /** Ends the answer cleanly: the client watches on from where it is. */
  end(): void {
    if (this.#closed) return
    this.#close()
    this.#answer.response.end()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#watch?.close()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#closing.resolve()
    this.#onEnd()
  }

  #caughtUp(): Promise<void> | undefined {
    if (this.#unread() <= initialAhead) return undefined
    const { response } = this.#answer
    const sink = response.chunkedEncoding && response.socket !== null ? response.socket : response
    return new Promise((resolve) => {
      sink.once('drain', resolve)
      void this.#closing.promise.then(() => {
        sink.off('drain', resolve)
        resolve()
      })
    })
  }

  #unread(): number {
    const { response } = this.#answer
    return response.writableLength + (response.socket?.writableLength ?? 0)
  }

  #bookmark(): void {
    const { revision } = this.#store
    // Nothing happened anywhere: the last bookmark still stands.
    if (this.#watch === undefined || revision === this.#lastBookmark) return
    this.#send({ type: 'BOOKMARK', revision, initialEventsEnd: false })
  }

  #send(event: WatchEvent): void {
    if (this.#closed) return
    if (event.type === 'BOOKMARK') this.#lastBookmark = event.revision
    const { response } = this.#answer
    const { socket } = response
    // The chunk goes to the socket as it is: the same bytes for all watchers, and one write instead of three.
    if (response.chunkedEncoding && socket !== null) {
      this.#gather(socket)
      socket.write(this.#chunk(event))
    } else response.write(this.#line(event))
    if (event.type === 'ERROR') this.end()
    else if (this.#unread() > unreadLimit) {
      this.#close()
      response.destroy()
    }
  }

  /** What one commit tells a watcher leaves in one piece. */
  #gather(socket: Socket): void {
    if (this.#gathering) return
    this.#gathering = true
    socket.cork()
    process.nextTick(() => {
      this.#gathering = false
      socket.uncork()
    })
  }

  #chunk(event: WatchEvent): Buffer {
    if (event.type === 'ERROR' || event.type === 'BOOKMARK' || this.#answer.output.as !== 'object')
      return framed(this.#line(event))
    return this.#watches.shared(event.type, event.shown, () => framed(this.#line(event)))
  }

  #line(event: WatchEvent): Buffer {
    switch (event.type) {
      case 'ERROR':
        return jsonLine('ERROR', event.status)
      case 'BOOKMARK':
        return this.#formLine('BOOKMARK', bookmark(this.resource, event))
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return this.#answer.output.as === 'object'
          ? eventLine(event.type, event.shown.json)
          : this.#formLine(event.type, event.shown.value)
    }
  }

  #formLine(type: string, value: KubeObject): Buffer {
    if (this.#answer.output.as === 'object') return jsonLine(type, value)
    const form = watchForm(this.#answer, this.resource, value, this.#firstEvent)
    this.#firstEvent = false
    return jsonLine(type, form)
  }
}

const heads = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
}
const tail = Buffer.from('}\n')

/** A chunk of HTTP's chunked encoding. */
function framed(line: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${line.length.toString(16)}\r\n`), line, lineEnd])
}

const lineEnd = Buffer.from('\r\n')

function eventLine(type: keyof typeof heads, json: Buffer): Buffer {
  return Buffer.concat([heads[type], json, tail])
}

function jsonLine(type: string, object: object): Buffer {
  return Buffer.from(`{"type":"${type}","object":${stringifyJson(object)}}\n`)
}

function bookmark(
  resource: Resource,
  { revision, initialEventsEnd }: { revision: number; initialEventsEnd: boolean },
): KubeObject {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  }
  return {
    kind: resource.kind,
    apiVersion: formatApiVersion(resource),
    metadata: metadata as unknown as KubeObject['metadata'],
  }
}
