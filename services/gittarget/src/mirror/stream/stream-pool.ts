import type { Clock } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { ResourceType } from '../selection/resource-type.ts'
import { Stream, type StreamListener, streamKey } from './stream.ts'

export interface StreamLease {
  readonly key: string
  readonly stream: Stream
  /** The last release stops the stream. May be called repeatedly. */
  release(): void
}

interface StreamScope {
  /** If undefined, all namespaces. */
  readonly namespace: string | undefined
  readonly includesStatus: boolean
}

interface SharedStream {
  readonly stream: Stream
  readonly type: ResourceType
  holders: number
}

/** One stream for each type and scope, shared by all targets. */
export class StreamPool {
  readonly #ports: { readonly client: KubeClient; readonly clock: Clock; readonly log: Logger }
  readonly #shared = new Map<string, SharedStream>()
  readonly #ending = new Set<Promise<void>>()

  constructor(ports: { client: KubeClient; clock: Clock; log: Logger }) {
    this.#ports = ports
  }

  get size(): number {
    return this.#shared.size
  }

  /** Whether a stream watches this resource, in whatever version and scope. */
  watches({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): boolean {
    for (const { type } of this.#shared.values()) {
      if (type.group === group && type.resource === resource) return true
    }
    return false
  }

  acquire(
    type: ResourceType,
    { namespace, includesStatus }: StreamScope,
    listener: StreamListener,
  ): StreamLease {
    const key = streamKey(type, namespace, includesStatus)
    const shared: SharedStream = this.#shared.get(key) ?? {
      type,
      stream: new Stream({ ...this.#ports, type, namespace, includesStatus }),
      holders: 0,
    }
    this.#shared.set(key, shared)
    shared.holders += 1
    const unlisten = shared.stream.listen(listener)
    let released = false
    return {
      key,
      stream: shared.stream,
      release: () => {
        if (released) return
        released = true
        unlisten()
        shared.holders -= 1
        if (shared.holders > 0) return
        this.#shared.delete(key)
        this.#end(shared.stream)
      },
    }
  }

  async stop(): Promise<void> {
    for (const { stream } of this.#shared.values()) this.#end(stream)
    this.#shared.clear()
    await Promise.all(this.#ending)
  }

  #end(stream: Stream): void {
    const ending = stream
      .stop()
      .catch(() => undefined)
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}
