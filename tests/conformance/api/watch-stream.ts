import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import type { Json } from '@agents/crd'

export interface WatchEvent {
  readonly type: string
  readonly object: { readonly [key: string]: Json }
}

export interface WatchStream {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  /** The next `count` events, in order. */
  take(count: number): Promise<WatchEvent[]>
  /** All events up to and including the first one that `isLast` accepts. */
  takeUntil(isLast: (event: WatchEvent) => boolean): Promise<WatchEvent[]>
  /** The remaining events until the server ends the stream. */
  rest(): Promise<WatchEvent[]>
  close(): void
}

const patienceMs = 200_000

export function watchStream(response: IncomingMessage): WatchStream {
  const lines = createInterface({ input: response })[Symbol.asyncIterator]()
  const next = async (): Promise<WatchEvent | undefined> => {
    const { value, done } = await withPatience(lines.next())
    return done === true ? undefined : (JSON.parse(value) as WatchEvent)
  }
  const takeUntil: WatchStream['takeUntil'] = async (isLast) => {
    const events: WatchEvent[] = []
    for (;;) {
      const event = await next()
      if (event === undefined) throw new Error(`the watch ended after ${JSON.stringify(events)}`)
      events.push(event)
      if (isLast(event)) return events
    }
  }
  return {
    code: response.statusCode ?? 0,
    headers: response.headers,
    takeUntil,
    take: (count) => {
      let left = count
      return takeUntil(() => {
        left -= 1
        return left === 0
      })
    },
    rest: async () => {
      const events: WatchEvent[] = []
      for (let event = await next(); event !== undefined; event = await next()) events.push(event)
      return events
    },
    close: () => response.destroy(),
  }
}

function withPatience<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no watch event came in time')), patienceMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
