import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { createLogger } from '@agents/log'
import { applyJsonPatch } from '../../patch/json-patch.ts'
import { applyMergePatch } from '../../patch/merge-patch.ts'
import type { DefinitionRules } from '../../registry/definition/definition-rules.ts'
import { type ServerFrame, type ServerParts, startServerFrame } from '../../server-frame.ts'

/** Accepts everything: for tests of the frame, where schemas are not the subject. */
export const lenientRules: DefinitionRules = {
  check: () => [],
  checkUpdate: () => [],
  compile: () => ({
    prune: () => [],
    setDefaults: () => undefined,
    validate: () => [],
    validateUpdate: () => [],
    validateStatusUpdate: () => [],
  }),
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, Json>
}

/** A server in memory and a client for it. */
export interface TestServer extends ServerFrame {
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

export async function startTestServer(
  rules: DefinitionRules,
  parts: Partial<ServerParts> = {},
): Promise<TestServer> {
  const server = await startServerFrame({
    port: 0,
    logger: createLogger({ sink: { write: () => undefined } }),
    parts: () => ({
      definitionRules: rules,
      definitionSchema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      pruneDefinition: () => [],
      patcher: {
        json: (object, operations) => applyJsonPatch(object as unknown as Json, operations),
        merge: (object, patch) => applyMergePatch(object as unknown as Json, patch),
      },
      ...parts,
    }),
  })
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : { text },
    }
  }
  return { ...server, send }
}

/** One that serves Widgets from the start. */
export async function startWidgetServer(definition = widgetDefinition()): Promise<TestServer> {
  const server = await startTestServer(lenientRules)
  const { status } = await server.send('POST', definitions, definition)
  if (status !== 201) throw new Error(`the definition was answered with ${status}`)
  return server
}

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const widgets = '/apis/example.dev/v1/namespaces/default/widgets'

/** A definition of Widget in example.dev/v1, with status and scale. */
export function widgetDefinition(spec: object = {}, version: object = {}): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.dev' },
    spec: {
      group: 'example.dev',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
          ...version,
        },
      ],
      ...spec,
    },
  }
}

export function widget(name: string, rest: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'Widget',
    metadata: { name, ...metadata },
    spec: { size: 1 },
    ...rest,
  }
}

export type Metadata = Record<string, Json> & {
  resourceVersion: string
  uid: string
  generation: number
}

export const metadataOf = (body: Answer['body']): Metadata => body.metadata as Metadata

/** The body of the answer, which must be that the Widget was created. */
export async function createWidget(
  server: TestServer,
  name: string,
  rest: object = {},
  metadata: object = {},
): Promise<Answer['body']> {
  const { status, body } = await server.send('POST', widgets, widget(name, rest, metadata))
  if (status !== 201) throw new Error(`${name} was answered with ${status}`)
  return body
}
