import type { Decision, Entry, Store, StoreEvent } from '../store/store.ts'
import type {
  FromThread,
  Read,
  StoreFault,
  WireDecision,
  WireEntry,
  WireEvent,
  WriteOutcome,
} from './protocol.ts'

/** Answers a read of the request thread from the store of the main thread. */
export function answerRead(store: Store, read: Read): { value: unknown } | { fault: StoreFault } {
  try {
    return { value: readValue(store, read) }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}

function readValue(store: Store, read: Read): unknown {
  switch (read.read) {
    case 'get':
      return wireEntry(store.get(read.key))
    case 'newest':
      return wireEntry(newest(store, read.key))
    case 'revisions':
      return { revision: store.revision, oldest: store.oldestRevision }
    case 'list': {
      const { prefix, revision, after, limit } = read
      const options = {
        ...(after === undefined ? {} : { after }),
        ...(limit === undefined ? {} : { limit }),
      }
      const result =
        revision === undefined
          ? store.list(prefix, options)
          : store.listAt(prefix, revision, options)
      return { ...result, entries: result.entries.map(wireEntry) }
    }
    case 'events': {
      const events: WireEvent[] = []
      const watch = store.watch(read.prefix, read.from, (event) => events.push(wireEvent(event)))
      watch.close()
      return { events, revision: store.revision }
    }
  }
}

/** The newest entry, even if it is not durable yet. The store shows it only to the decision of a write. */
function newest(store: Store, key: string): Entry | undefined {
  let found: Entry | undefined
  store
    .write(key, (current) => {
      found = current
      return 'unchanged'
    })
    // Ignored here: a write that is based on the entry reports the failure.
    .catch(() => undefined)
  return found
}

class Stale extends Error {}

/** Writes a decision of the request thread if the entry that it is based on is still the newest. */
export async function submitWrite(
  store: Store,
  { key, basis, decision }: Extract<FromThread, { type: 'write' }>,
): Promise<WriteOutcome> {
  try {
    const wanted = decisionOf(decision)
    const result = await store.write(key, (current) => {
      if (current?.revision !== basis) throw new Stale()
      return wanted
    })
    return result.type === 'UNCHANGED' ? 'stale' : { event: wireEvent(result) }
  } catch (error) {
    return error instanceof Stale ? 'stale' : { fault: faultOf(error) }
  }
}

/** Inserts the revision into the JSON without parsing it, which would be expensive for the main thread. */
function decisionOf({ deletes, json, gap, gapLength }: WireDecision): Decision {
  return {
    deletes,
    bytes: (revision) => {
      const digits = String(revision)
      const bytes = Buffer.allocUnsafeSlow(json.length - gapLength + digits.length)
      bytes.set(json.subarray(0, gap))
      bytes.write(digits, gap)
      bytes.set(json.subarray(gap + gapLength), gap + digits.length)
      return bytes
    },
  }
}

function wireEntry(entry: Entry): WireEntry
function wireEntry(entry: Entry | undefined): WireEntry | undefined
function wireEntry(entry: Entry | undefined): WireEntry | undefined {
  return entry === undefined
    ? undefined
    : { key: entry.key, revision: entry.revision, json: entry.json }
}

function wireEvent({ type, entry, previous, revision }: StoreEvent): WireEvent {
  return {
    type,
    entry: wireEntry(entry),
    ...(previous === undefined ? {} : { previous: wireEntry(previous) }),
    revision,
  }
}

function faultOf(error: unknown): StoreFault {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) }
}
