import { type ChildProcess, spawn } from 'node:child_process'
import { spawnerScript } from './spawner-script.ts'

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

/** How a process ended. */
export interface Exit {
  /** It could not be started. */
  readonly error?: string
  readonly signal?: NodeJS.Signals | null
  /** The helper is gone: nobody will tell what becomes of the process. */
  readonly isLost?: boolean
}

/** A process in a group of its own, whose descriptor 3 is a socket. Its second word there is answered with `ok`. */
export interface Spawned {
  /** Undefined until it is there. */
  readonly pid: number | undefined
  /** It has said its first word on the socket. False: it has ended before. */
  readonly ready: Promise<boolean>
  readonly exit: Promise<Exit>
  /** Writes `go` to the socket. */
  go(): void
  /** Closes the socket; the process runs on. */
  leave(): void
}

type Told =
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
 * Starts processes through a small helper process. To start one from here would copy the tables of all our memory first, which
 * takes milliseconds in which nothing else happens.
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

  /** What was started runs on. */
  close(): void {
    this.#watched.clear()
    this.#helper?.disconnect()
    this.#helper = undefined
  }

  #send(message: object): void {
    const isNew = 'kind' in message && message.kind === 'start'
    if (isNew) this.#helper ??= this.#startHelper()
    // Errors are those of a helper that has just gone, which its end tells.
    if (this.#helper?.connected) this.#helper.send(message, () => undefined)
  }

  #startHelper(): ChildProcess {
    const helper = spawn(process.execPath, ['-e', spawnerScript], {
      // Of its own, so that a key pressed for the node does not end it before the node is done with it.
      detached: true,
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    helper.on('message', (told: Told) => this.#hear(told))
    helper.once('error', ({ message }) => this.#lose(helper, { error: message }))
    helper.once('exit', () => this.#lose(helper, { isLost: true }))
    return helper
  }

  #hear(told: Told): void {
    const watched = this.#watched.get(told.id)
    if (watched === undefined) return
    if (told.kind === 'spawned') watched.pid = told.pid
    if (told.kind === 'ready') watched.ready(true)
    // Only we can say that somebody still listens: the helper learns of our death later than others do.
    if (told.kind === 'over') this.#send({ kind: 'ok', id: told.id })
    if (told.kind !== 'exit') return
    this.#watched.delete(told.id)
    watched.ready(false)
    watched.exit(told)
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
