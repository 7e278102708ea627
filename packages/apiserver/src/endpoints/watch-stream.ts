import type { KubeObject } from '@agents/kube'
import { formatApiVersion, stringifyJson } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { ListOptions } from '../rest/list-options.ts'
import { parseResourceVersion } from '../rest/resource-version.ts'
import { watchObjects } from '../rest/watch.ts'
import type { ServedWatch, WatchEvent } from '../rest/watch-event.ts'
import type { Store } from '../store/store.ts'
import { setWarnings } from './respond.ts'
import { type Answer, watchForm } from './send-objects.ts'
import type { WatchSet } from './watch-set.ts'
import type { WatchSink } from './watch-sink.ts'
import { openWatchSink } from './web-socket-watch.ts'

const bookmarkIntervalMs = 60_000
/** How long before its end a watch gets a last bookmark. */
const lastBookmarkMs = 2_000
/** Default timeout of a watch, multiplied by a random number from one to two. */
const minimumLifeMs = 1_800_000
/** Node turns longer timeouts into very short ones. */
const longestTimer = 2 ** 31 - 1
/** A client with more unread bytes than this is disconnected. */
const unreadLimit = 16 * 1024 * 1024
/** Unread bytes above which sending the existing objects pauses. */
const initialAhead = 1024 * 1024

/** Serves a watch until it times out, the client disconnects or is too slow, or the resource changes. */
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
  setWarnings(response, answer.warnings)
  const sink = await openWatchSink(request, response)
  if (request.method === 'HEAD') {
    sink.end()
    return
  }

  const lifeMs =
    options.timeoutSeconds === undefined || options.timeoutSeconds <= 0
      ? minimumLifeMs * (1 + Math.random())
      : Math.min(options.timeoutSeconds * 1000, longestTimer)
  await new Promise<void>((resolve, reject) => {
    const stream = new WatchStream(store, watches, answer, sink, resource, options, lifeMs, () => {
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
  readonly #sink: WatchSink
  readonly #options: ListOptions
  readonly #onEnd: () => void
  readonly #timers: NodeJS.Timeout[] = []
  readonly #closing = Promise.withResolvers<void>()
  #watch: ServedWatch | undefined
  #closed = false
  #firstEvent = true
  #lastBookmark = 0

  constructor(
    store: Store,
    watches: WatchSet,
    answer: Answer,
    sink: WatchSink,
    resource: Resource,
    options: ListOptions,
    lifeMs: number,
    onEnd: () => void,
  ) {
    this.#store = store
    this.#watches = watches
    this.#answer = answer
    this.#sink = sink
    this.resource = resource
    this.#options = options
    this.#onEnd = onEnd
    sink.onClose(() => this.#close())
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

  /** Ends the response cleanly, so that the client continues from its last event. */
  end(): void {
    if (this.#closed) return
    this.#close()
    this.#sink.end()
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
    if (this.#sink.unread() <= initialAhead) return undefined
    const { stream } = this.#sink
    return new Promise((resolve) => {
      stream.once('drain', resolve)
      void this.#closing.promise.then(() => {
        stream.off('drain', resolve)
        resolve()
      })
    })
  }

  #bookmark(): void {
    const { revision } = this.#store
    // The revision has not changed since the last bookmark.
    if (this.#watch === undefined || revision === this.#lastBookmark) return
    // A client that resumes there must have all events up to it.
    if (this.#watch.isBehind?.() === true) return
    this.#send({ type: 'BOOKMARK', revision, initialEventsEnd: false })
  }

  #send(event: WatchEvent): void {
    if (this.#closed) return
    if (event.type === 'BOOKMARK') this.#lastBookmark = event.revision
    this.#sink.send(this.#frame(event))
    if (event.type === 'ERROR') this.end()
    else if (this.#sink.unread() > unreadLimit) {
      this.#close()
      this.#sink.destroy()
    }
  }

  #frame(event: WatchEvent): Buffer {
    const frame = (): Buffer => this.#sink.frame(this.#line(event))
    if (event.type === 'ERROR' || event.type === 'BOOKMARK' || this.#answer.output.as !== 'object')
      return frame()
    return this.#sink.isShared ? this.#watches.shared(event.type, event.payload, frame) : frame()
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
          ? eventLine(event.type, event.payload.json)
          : this.#formLine(event.type, event.payload.value)
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
