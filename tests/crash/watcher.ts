import type { EmbeddedServer } from '../testbed/embedded-server.ts'
import { collection, connect } from './write-load.ts'

export interface Watcher {
  /** The highest revision that was seen. */
  revision(): number
  /** Whether the server said that the revision to go on from is gone. */
  expired(): boolean
  /** Sentences about events that came out of order or twice. */
  readonly faults: string[]
  close(): void
}

/** Watches on from a revision of an earlier life of the server. */
export async function watchFrom(server: EmbeddedServer, from: number): Promise<Watcher> {
  const connection = await connect(server)
  const faults: string[] = []
  let last = from
  let expired = false
  let rest = ''
  connection.follow(`${collection}?watch=true&resourceVersion=${from}`, (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('{')) continue
      const { type, object } = JSON.parse(line) as WatchLine
      if (type === 'ERROR') {
        expired = object.code === 410
        if (!expired) faults.push(line)
        continue
      }
      const revision = Number(object.metadata.resourceVersion)
      if (revision <= last) faults.push(`an event of ${revision} came after ${last}`)
      last = revision
    }
  })
  return { revision: () => last, expired: () => expired, faults, close: () => connection.close() }
}

interface WatchLine {
  readonly type: string
  readonly object: { readonly code?: number; readonly metadata: { resourceVersion: string } }
}
