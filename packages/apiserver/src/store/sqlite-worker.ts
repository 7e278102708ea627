import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { JournalRecord } from './journal.ts'
import { ObjectDatabase } from './object-database.ts'
import { packRecords, type RecordBatch, unpackRecords } from './record-batch.ts'
import { isCorrupt, isLocked } from './sqlite-error.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './sqlite-protocol.ts'

// The storage thread of the durable store: a slow disk must not block reads. Any error except for a full disk is
// thrown, which ends the thread and is fatal to the store.

const loadBytes = 1024 * 1024
/** The log is checkpointed when the store is idle, or when it has grown large. */
const checkpointPages = { idle: 500, busy: 4000 }
const pauseMilliseconds = 100

if (parentPort !== null) serve(parentPort, workerData as WorkerSettings)

function serve(port: MessagePort, settings: WorkerSettings): void {
  const database = open(port, settings)
  if (database === undefined) return
  let pause: NodeJS.Timeout | undefined
  port.on('message', (message: ToWorker) => {
    clearTimeout(pause)
    if (message.type === 'close') {
      database.close()
      port.close()
      return
    }
    const failures = database.commit(unpackRecords(message.batch))
    send(port, { type: 'committed', full: [...failures.keys()] })
    if (database.pagesInLog >= checkpointPages.busy) database.checkpoint()
    else if (database.pagesInLog >= checkpointPages.idle) {
      pause = setTimeout(() => database.checkpoint(), pauseMilliseconds)
    }
  })
}

function open(port: MessagePort, settings: WorkerSettings): ObjectDatabase | undefined {
  try {
    const database = new ObjectDatabase(settings.directory, settings.maxBytes)
    loadObjects(port, database)
    send(port, { type: 'ready', revision: database.revision })
    return database
  } catch (error) {
    const reason = isLocked(error) ? 'locked' : isCorrupt(error) ? 'corrupt' : 'other'
    const message = error instanceof Error ? error.message : String(error)
    send(port, { type: 'refused', reason, message })
    return undefined
  }
}

function loadObjects(port: MessagePort, database: ObjectDatabase): void {
  let records: JournalRecord[] = []
  let bytes = 0
  for (const record of database.objects()) {
    records.push(record)
    bytes += record.json?.length ?? 0
    if (bytes < loadBytes) continue
    sendLoaded(port, packRecords(records))
    records = []
    bytes = 0
  }
  if (records.length > 0) sendLoaded(port, packRecords(records))
}

function sendLoaded(port: MessagePort, batch: RecordBatch): void {
  port.postMessage({ type: 'loaded', batch } satisfies FromWorker, [batch.data.buffer])
}

function send(port: MessagePort, message: FromWorker): void {
  port.postMessage(message)
}
