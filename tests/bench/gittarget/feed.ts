import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Shape } from './shape.ts'

export type FeedOrder =
  | ({ readonly kind: 'start'; readonly objects: number; readonly shape: Shape } & Upstream)
  | { readonly kind: 'change'; readonly index: number; readonly value: string }
  | { readonly kind: 'burst'; readonly changes: number; readonly perSecond: number }

export interface FeedAnswer {
  readonly port?: number
}

interface Upstream {
  readonly url: string
  readonly caPem: string
  readonly token: string
}

/**
 * ConfigMaps `c-0`, `c-1`, … of 1 KiB in the namespaces of a shape, served by a separate process; see `feed-server.ts`.
 */
export class Feed {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'feed-server.ts'), {
    execArgv: [],
  })
  #url = ''

  static async start(upstream: Upstream, objects: number, shape: Shape): Promise<Feed> {
    const feed = new Feed()
    const { port } = await feed.#ask({ kind: 'start', ...upstream, objects, shape })
    feed.#url = `http://127.0.0.1:${port}`
    return feed
  }

  get url(): string {
    return this.#url
  }

  async change(index: number, value: string): Promise<void> {
    await this.#ask({ kind: 'change', index, value })
  }

  /** Resolves when the last change is sent, which takes longer than `changes / perSecond` if a watcher is slow. */
  async burst(changes: number, perSecond: number): Promise<void> {
    await this.#ask({ kind: 'burst', changes, perSecond })
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.disconnect()
    await ended
  }

  /** Sends an order; only one may be in progress at a time. */
  #ask(order: FeedOrder): Promise<FeedAnswer> {
    const answer = new Promise<FeedAnswer>((resolve) => this.#child.once('message', resolve))
    this.#child.send(order)
    return answer
  }
}
