import type { EmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { collection, connect } from './write-load.ts'

interface Watcher {
  /** The highest revision seen. */
  revision(): number
  /** Whether the server reported that the revision to resume from has expired. */
  expired(): boolean
  /** Messages about events that arrived out of order or twice. */
  readonly faults: string[]
  close(): void
}

/** Watches from a revision of an earlier run of the server. */
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
