import type { Json, Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Resource } from '../../registry/resource.ts'
import type { Strategy } from '../../registry/strategy.ts'
import { createFieldManager, type FieldManagerOptions } from '../create-field-manager.ts'
import { pathsOf } from '../field-set.ts'
import { decodeFields } from '../fields-v1.ts'
import { displayPath } from '../path-element.ts'

export type Body = { readonly [key: string]: Json }

const text: Schema = { type: 'string' }

export const widgetSchema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        title: text,
        replicas: { type: 'integer' },
        config: { type: 'object', additionalProperties: text },
        part: { type: 'object', properties: { a: text, b: text } },
        whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        words: { type: 'array', items: text },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: text,
            },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
}

export function widgetResource(version = 'v1', schema: Schema = widgetSchema): Resource {
  return { group: 'example.dev', version, kind: 'Widget', isCustom: true, schema } as Resource
}

/** A widget that several managers write to, one after another. */
export class Widget {
  readonly #manager
  resource: Resource
  now = new Date('2030-01-01T00:00:00Z')
  live: KubeObject | undefined
  prune: Strategy['prune'] = () => []

  constructor(options: FieldManagerOptions = {}, resource: Resource = widgetResource()) {
    this.#manager = createFieldManager(options)
    this.resource = resource
  }

  apply(manager: string, body: Body, force = false): KubeObject {
    const applied = this.#object(body)
    return this.#keep(this.#manager.onApply({ ...this.#change(manager), applied, force }))
  }

  applyStatus(manager: string, status: Body): KubeObject {
    const change = { ...this.#change(manager), ...onStatus }
    const applied = this.#object({ status })
    return this.#keep(this.#manager.onApply({ ...change, applied, force: false }))
  }

  /** Updates the object. */
  update(manager: string, body: Body, metadata: object = {}): KubeObject {
    const next = this.#object(body)
    Object.assign(next.metadata, metadata)
    return this.#keep(this.#manager.onUpdate({ ...this.#change(manager), next }))
  }

  updateStatus(manager: string, status: Body): KubeObject {
    const next = { ...(this.live ?? this.#object({})), status }
    return this.#keep(this.#manager.onUpdate({ ...this.#change(manager), ...onStatus, next }))
  }

  /** One line for each entry: `one Apply: .spec.title .spec.tags[="x"]`. */
  get owners(): string[] {
    return (this.live?.metadata.managedFields ?? []).map((entry) => {
      const fields = pathsOf(decodeFields((entry.fieldsV1 ?? {}) as Json)).map(displayPath)
      const through = entry.subresource === undefined ? '' : `/${entry.subresource}`
      return `${entry.manager} ${entry.operation}${through}: ${fields.join(' ')}`
    })
  }

  get spec(): Json {
    return (this.live?.spec ?? null) as Json
  }

  #change(manager: string) {
    const strategy = { resetFields: [['status']], prune: this.prune } as unknown as Strategy
    const { resource, now, live } = this
    return { resource, strategy, subresource: '', live, manager, now }
  }

  #keep(object: KubeObject): KubeObject {
    // Frozen, so that a later write that mutates it by mistake throws.
    const stored = structuredClone(object)
    stored.metadata.uid = 'u'
    this.live = deepFrozen(stored)
    return object
  }

  #object(body: Body): KubeObject {
    const { group, version, kind } = this.resource
    const metadata = { ...(body.metadata as Body | undefined), name: 'w' }
    return { apiVersion: `${group}/${version}`, kind, ...body, metadata } as unknown as KubeObject
  }
}

const onStatus = {
  subresource: 'status',
  strategy: { resetFields: [['metadata'], ['spec']], prune: () => [] } as unknown as Strategy,
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFrozen(part)
    Object.freeze(value)
  }
  return value
}
