import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createLogger } from '@agents/log'
import type { ThreadRequest } from '../endpoints/request-thread.ts'
import { exchange } from '../offload/captured-exchange.ts'
import type { FromThread, ThreadData, ToThread } from '../offload/protocol.ts'
import { RemoteStore } from '../offload/remote-store.ts'
import { partsOf } from '../server.ts'
import { assemble } from '../server-frame.ts'

// The server without its listener and its controllers, on the store of the main thread. It answers one request at a
// time.

const { settings, signal } = workerData as ThreadData
const port = portOfThread()

let answerOne: ((request: ThreadRequest) => Promise<void>) | undefined
let store: RemoteStore | undefined

port.on('message', (message: ToThread) => {
  if (message.type === 'replies') void start(message.port)
  else if (message.type === 'written') store?.settle(message.id, message.outcome)
  else void answerOne?.(message.request)
})

function portOfThread(): MessagePort {
  if (parentPort === null) throw new Error('this file runs in a worker thread')
  return parentPort
}

function send(message: FromThread): void {
  port.postMessage(message)
}

async function start(replies: MessagePort): Promise<void> {
  const remote = new RemoteStore(signal, replies, send)
  store = remote
  let request: ThreadRequest | undefined
  const clock = (): Date => new Date(request?.now ?? Date.now())
  const { handle } = await assemble(
    {
      logger: createLogger({ sink: process.stderr, level: 'warn' }),
      hosts: settings.hosts,
      isReplica: true,
      parts: (core) => ({
        ...partsOf(core, settings, settings.keys),
        authenticate: () => request?.user,
      }),
    },
    remote,
    clock,
  )
  answerOne = async (given) => {
    request = given
    remote.catchUp()
    send({ type: 'response', response: await exchange(handle, given) })
  }
  send({ type: 'ready' })
}
