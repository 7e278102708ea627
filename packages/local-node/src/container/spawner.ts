import { type ChildProcess, spawn } from 'node:child_process'
import { spawnerScript } from './spawner-script.ts'

interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

/** How a process ended. */
export interface Exit {
  /** Set if it could not be started. */
  readonly error?: string
  readonly signal?: NodeJS.Signals | null
  /** The helper has ended: the exit of the process will not be reported. */
  readonly isLost?: boolean
}

/**
 * A process in a process group of its own, whose descriptor 3 is a socket. Its second message there is answered with
 * `ok`.
 */
export interface Spawned {
  /** Undefined until it has started. */
  readonly pid: number | undefined
  /** Resolves at its first message on the socket; false if it has ended before. */
  readonly ready: Promise<boolean>
  readonly exit: Promise<Exit>
  /** Writes `go` to the socket. */
  go(): void
  /** Closes the socket; the process keeps running. */
  leave(): void
}

type SpawnerMessage =
  | { readonly kind: 'spawned'; readonly id: number; readonly pid: number }
  | { readonly kind: 'ready'; readonly id: number }
  | { readonly kind: 'over'; readonly id: number }
  | ({ readonly kind: 'exit'; readonly id: number } & Exit)

interface Watched {
  pid: number | undefined
  ready(isReady: boolean): void
  exit(how: Exit): void
}

/**
 * Starts processes through a small helper process. A fork of this process would copy its page tables first, which
 * blocks it for milliseconds.
 */
export class Spawner {
  readonly #watched = new Map<number, Watched>()
  #helper: ChildProcess | undefined
  #lastId = 0

  start(program: Program): Spawned {
    this.#lastId += 1
    const id = this.#lastId
    const ready = Promise.withResolvers<boolean>()
    const exit = Promise.withResolvers<Exit>()
    const watched: Watched = { pid: undefined, ready: ready.resolve, exit: exit.resolve }
    this.#watched.set(id, watched)
    this.#send({ kind: 'start', id, ...program })
    return {
      get pid() {
        return watched.pid
      },
      ready: ready.promise,
      exit: exit.promise,
      go: () => this.#send({ kind: 'go', id }),
      leave: () => this.#send({ kind: 'leave', id }),
    }
  }

  /** Started processes keep running. */
  close(): void {
    this.#watched.clear()
    this.#helper?.disconnect()
    this.#helper = undefined
  }

  #send(message: object): void {
    const isNew = 'kind' in message && message.kind === 'start'
    if (isNew) this.#helper ??= this.#startHelper()
    // Errors are those of a helper that has just ended, which its `exit` event reports.
    if (this.#helper?.connected) this.#helper.send(message, () => undefined)
  }

  #startHelper(): ChildProcess {
    const helper = spawn(process.execPath, ['-e', spawnerScript], {
      // In its own process group, so that Ctrl-C does not end it before the node has finished with it.
      detached: true,
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    helper.on('message', (received: SpawnerMessage) => this.#receive(received))
    helper.once('error', ({ message }) => this.#lose(helper, { error: message }))
    helper.once('exit', () => this.#lose(helper, { isLost: true }))
    return helper
  }

  #receive(received: SpawnerMessage): void {
    const watched = this.#watched.get(received.id)
    if (watched === undefined) return
    if (received.kind === 'spawned') watched.pid = received.pid
    if (received.kind === 'ready') watched.ready(true)
    // Only this process can confirm that a node is running: the helper notices its end too late.
    if (received.kind === 'over') this.#send({ kind: 'ok', id: received.id })
    if (received.kind !== 'exit') return
    this.#watched.delete(received.id)
    watched.ready(false)
    watched.exit(received)
  }

  #lose(helper: ChildProcess, how: Exit): void {
    if (this.#helper !== helper) return
    this.#helper = undefined
    const lost = [...this.#watched.values()]
    this.#watched.clear()
    for (const { ready, exit } of lost) {
      ready(false)
      exit(how)
    }
  }
}
