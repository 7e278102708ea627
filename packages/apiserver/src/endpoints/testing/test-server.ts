import type { IncomingMessage } from 'node:http'
import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { silentLogger } from '@agents/log'
import type { DefinitionRules } from '../../custom-resources/definition-rules.ts'
import { applyJsonPatch } from '../../patch/json-patch.ts'
import { applyMergePatch } from '../../patch/merge-patch.ts'
import { type ServerFrame, type ServerParts, startServerFrame } from '../../server-frame.ts'

/** Rules that accept every definition and object, for tests that are not about schemas. */
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

/** Authenticates the user that the header X-User names. */
export function userOfHeader({ headers }: IncomingMessage) {
  const name = headers['x-user']
  return name === undefined ? undefined : { name: String(name), groups: [] }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, Json>
}

/** An in-memory server with a client. */
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
  clock = () => new Date(),
): Promise<TestServer> {
  const server = await startServerFrame({
    port: 0,
    logger: silentLogger,
    clock,
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

/** Starts a server with the definition of Widget. */
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

type Metadata = Record<string, Json> & {
  resourceVersion: string
  uid: string
  generation: number
}

export function metadataOf(body: Answer['body']): Metadata {
  return body.metadata as Metadata
}

/** Creates a Widget and returns it. */
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
