/** An object in a state that its printer must tell apart. */
export interface Sample {
  /** Collection that it is created in. */
  readonly path: string
  readonly body: { readonly metadata: { readonly name: string } } & Readonly<
    Record<string, unknown>
  >
  /** Written to the status subresource afterwards. */
  readonly status?: object
  /** Deleted at last, so that it is terminating: a finalizer or a grace period must hold it. */
  readonly deleted?: true
}

export const at = (minutesAgo: number): string =>
  `${new Date(Date.now() - minutesAgo * 60_000).toISOString().slice(0, 19)}Z`

/** An object without status; `rest` is everything beside its name. */
export const plain = (path: string, name: string, rest: object, metadata: object = {}): Sample => ({
  path,
  body: { metadata: { name, ...metadata }, ...rest },
})

/** The pod part of templates. */
export const podSpec = {
  restartPolicy: 'Always',
  nodeSelector: { disk: 'ssd', zone: 'b' },
  containers: [
    { name: 'one', image: 'registry.test/one:1' },
    { name: 'two', image: 'registry.test/two@sha256:00' },
  ],
}

export const template = (labels: object, spec: object = podSpec): object => ({
  metadata: { labels },
  spec,
})
