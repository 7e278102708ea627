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

export interface Upstream {
  readonly url: string
  readonly caPem: string
  readonly token: string
}

/** ConfigMaps `c-0`, `c-1`, … of 1 KiB in the namespaces of a shape, served by a process of their own; see `feed-server.ts`. */
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

  /** Until the last is sent, which is later than `changes / perSecond` where somebody reads more slowly. */
  async burst(changes: number, perSecond: number): Promise<void> {
    await this.#ask({ kind: 'burst', changes, perSecond })
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.disconnect()
    await ended
  }

  /** One after the other. */
  #ask(order: FeedOrder): Promise<FeedAnswer> {
    const answer = new Promise<FeedAnswer>((resolve) => this.#child.once('message', resolve))
    this.#child.send(order)
    return answer
  }
}
