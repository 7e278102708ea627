import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Logger } from '@agents/log'
import type { RequestThread, ThreadRequest, ThreadResponse } from '../endpoints/request-thread.ts'
import type { UserInfo } from '../request/user-info.ts'
import type { OnWrite } from '../rest/environment.ts'
import { requestTooLarge, serviceUnavailable, tooManyRequests } from '../status/api-error.ts'
import type { Store } from '../store/store.ts'
import type { FromThread, ThreadData, ThreadSettings, ToThread } from './protocol.ts'
import { answerRead, submitWrite } from './store-service.ts'
import { exceededTime } from './time-limit.ts'
import { TurnQueue } from './turn-queue.ts'

/** Definitions of 500 KB with 24,000 values and CEL rules need less than 64. */
const heapMegabytes = 96
const retryAfterSeconds = 5

interface Running {
  readonly worker: Worker
  readonly replies: MessagePort
  readonly signal: Int32Array
  readonly ready: Promise<void>
  /** The store's revision when the thread last caught up with it. */
  revision: number
  /** The user of the current request. */
  user: UserInfo | undefined
  settle: ((outcome: ThreadResponse | Error) => void) | undefined
}

/** Creates the thread for large requests. It is started by the first request that needs it. */
export function createRequestThread(
  store: Store,
  settings: ThreadSettings,
  logger: Logger,
  onWrite?: OnWrite,
): RequestThread {
  const queue = new TurnQueue()
  let running: Running | undefined
  let stopped = false

  const start = (): Running => {
    const signal = new SharedArrayBuffer(4)
    const worker = startWorker({ settings, signal })
    const { port1: replies, port2 } = new MessageChannel()
    const {
      promise: ready,
      resolve: becomeReady,
      reject: failStart,
    } = Promise.withResolvers<void>()
    ready.catch(() => undefined)
    const started: Running = {
      ...{ worker, replies, ready, signal: new Int32Array(signal) },
      revision: store.revision,
      user: undefined,
      settle: undefined,
    }
    const end = (error: Error): void => {
      failStart(error)
      started.settle?.(error)
      if (running === started) running = undefined
      replies.close()
    }
    worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', () => end(new Error('the request thread exited')))
    worker.on('message', (message: FromThread) => {
      if (message.type === 'ready') becomeReady()
      else receive(store, started, message, onWrite)
    })
    worker.postMessage({ type: 'replies', port: port2 } satisfies ToThread, [port2])
    return started
  }

  const current = async (): Promise<Running> => {
    // The history no longer covers what the thread has missed, so it could not catch up.
    if (running !== undefined && running.revision < store.oldestRevision) {
      await running.worker.terminate()
      running = undefined
    }
    running ??= start()
    await running.ready
    return running
  }

  const answer = async (request: ThreadRequest): Promise<ThreadResponse> => {
    const thread = await current()
    const revision = store.revision
    const settled = new AbortController()
    const outcome = await new Promise<ThreadResponse | Error>((resolve) => {
      thread.settle = resolve
      thread.user = request.user
      exceededTime(thread.worker, settled.signal).then(resolve, () => undefined)
      thread.worker.postMessage({ type: 'request', request } satisfies ToThread)
    })
    settled.abort()
    thread.settle = undefined
    if (!(outcome instanceof Error)) {
      thread.revision = revision
      return outcome
    }
    if (running === thread) running = undefined
    await thread.worker.terminate()
    if (stopped) throw serviceUnavailable('the server is shutting down')
    logger.warn('request rejected: too much time or memory', {
      method: request.method,
      user: request.user.name,
      error: outcome,
    })
    throw requestTooLarge('processing the request takes too much time or memory')
  }

  return {
    answer: async (request, isGone) => {
      if (stopped) throw serviceUnavailable('the server is shutting down')
      const isTurn = await queue.wait(request.user.name, isGone)
      if (isTurn !== true) {
        throw tooManyRequests('too many large requests, please try again later', retryAfterSeconds)
      }
      try {
        return await answer(request)
      } finally {
        queue.release()
      }
    },
    stop: async () => {
      stopped = true
      await running?.worker.terminate()
    },
  }
}

function receive(
  store: Store,
  thread: Running,
  message: Exclude<FromThread, { type: 'ready' }>,
  onWrite: OnWrite | undefined,
): void {
  if (message.type === 'response') thread.settle?.(message.response)
  else if (message.type === 'write') {
    const { user } = thread
    void submitWrite(store, message).then((outcome) => {
      if (user !== undefined && typeof outcome === 'object' && 'event' in outcome) {
        onWrite?.({ revision: outcome.event.revision, user })
      }
      thread.worker.postMessage({ type: 'written', id: message.id, outcome } satisfies ToThread)
    })
  } else {
    thread.replies.postMessage(answerRead(store, message.read))
    Atomics.store(thread.signal, 0, 1)
    Atomics.notify(thread.signal, 0)
  }
}

// Like the storage thread, it gets the compile cache of the main thread but not its flags.
function startWorker(workerData: ThreadData): Worker {
  const cache = getCompileCacheDir()
  const worker = new Worker(new URL('../main/request-thread-worker.ts', import.meta.url), {
    name: 'requests',
    workerData,
    execArgv: [],
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 16 },
  })
  // An idle thread must not keep the process alive.
  void once(worker, 'online').then(
    () => worker.unref(),
    () => undefined,
  )
  return worker
}
