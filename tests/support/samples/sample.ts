/** An object in a state that its printer must distinguish. */
export interface Sample {
  /** Path of the collection in which it is created. */
  readonly path: string
  readonly body: { readonly metadata: { readonly name: string } } & Readonly<
    Record<string, unknown>
  >
  /** Written to the status subresource afterwards. */
  readonly status?: object
  /** Whether it is deleted at the end, so that it is terminating: a finalizer or a grace period must keep it. */
  readonly deleted?: true
}

export function at(minutesAgo: number): string {
  return `${new Date(Date.now() - minutesAgo * 60_000).toISOString().slice(0, 19)}Z`
}

/** An object without status; `rest` is everything except its name. */
export function plain(path: string, name: string, rest: object, metadata: object = {}): Sample {
  return {
    path,
    body: { metadata: { name, ...metadata }, ...rest },
  }
}

/** The pod part of templates. */
export const podSpec = {
  restartPolicy: 'Always',
  nodeSelector: { disk: 'ssd', zone: 'b' },
  containers: [
    { name: 'one', image: 'registry.test/one:1' },
    { name: 'two', image: 'registry.test/two@sha256:00' },
  ],
}

export function template(labels: object, spec: object = podSpec): object {
  return {
    metadata: { labels },
    spec,
  }
}
