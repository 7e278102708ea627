import { startApiServer } from '@agents/apiserver'
import { systemClock } from '@agents/controller'
import {
  bearer,
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  createKubeClient,
  type KubeClient,
  staticCredentials,
} from '@agents/kube'
import { createLogger, silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DefinitionsRefused, upgradeDefinitions } from './upgrade-definitions.ts'

const timeout = 60_000
let server: Awaited<ReturnType<typeof startApiServer>>
let client: KubeClient

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger })
  client = createKubeClient({
    server: server.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
}, timeout)

afterAll(async () => {
  client.close()
  await server.stop()
})

interface Shape {
  readonly fields?: readonly string[]
  /** The last one is the storage version. */
  readonly versions?: readonly string[]
  readonly kind?: string
}

/** The definition of `<plural>.example.com`. */
function definition(
  plural: string,
  { fields = ['colour'], versions = ['v1'], kind = plural }: Shape = {},
): Pick<CustomResourceDefinition, 'apiVersion' | 'kind' | 'metadata' | 'spec'> {
  const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }]))
  const spec = { type: 'object', properties }
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  const served = versions.map((name, index) => ({
    name,
    served: true,
    storage: index === versions.length - 1,
    schema: { openAPIV3Schema },
  }))
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, singular: plural, listKind: `${kind}List` },
      versions: served,
    },
  }
}

// JSON is valid YAML.
function fileOf(object: ReturnType<typeof definition>) {
  return {
    name: object.metadata.name,
    yaml: `# A comment.\n${JSON.stringify(object)}`,
  }
}

async function upgrade(...objects: readonly ReturnType<typeof definition>[]) {
  const lines: { message: string; definition?: string; unknownHere?: readonly string[] }[] = []
  const log = createLogger({ sink: { write: (line) => lines.push(JSON.parse(line)) } })
  await upgradeDefinitions(objects.map(fileOf), {
    client,
    clock: systemClock,
    log,
    timeoutMs: timeout,
  })
  return lines
}

function present(plural: string) {
  return client.get(CustomResourceDefinitionKind, { name: `${plural}.example.com` })
}

async function fieldsOf(plural: string) {
  return Object.keys(
    JSON.parse(JSON.stringify((await present(plural)).spec.versions[0])).schema.openAPIV3Schema
      .properties.spec.properties,
  )
}

/** Creates the definition with another field manager. */
function installed(by: string, object: ReturnType<typeof definition>) {
  return client.create(CustomResourceDefinitionKind, object, { fieldManager: by })
}

describe('definitions', () => {
  test('are created if missing, are served afterwards, and are unchanged by a second upgrade', {
    timeout,
  }, async () => {
    const first = await upgrade(definition('shelves'), definition('boxes'))
    expect(first.map(({ message }) => message)).toEqual([
      'definition created',
      'definition created',
    ])
    const { generation } = (await present('shelves')).metadata
    const second = await upgrade(definition('shelves'), definition('boxes'))
    expect(second.map(({ message }) => message)).toEqual([
      'definition up to date',
      'definition up to date',
    ])
    expect((await present('shelves')).metadata.generation).toBe(generation)
  })

  test('that Helm installed are taken over without losing objects', { timeout }, async () => {
    await installed('helm', definition('racks', { kind: 'Rack' }))
    await upgrade(definition('benches'))
    const kind = {
      group: 'example.com',
      version: 'v1',
      plural: 'racks',
      kind: 'Rack',
      namespaced: true,
    }
    const rack = { metadata: { name: 'one', namespace: 'default' }, spec: { colour: 'red' } }
    await expect
      .poll(
        () =>
          client.create(kind, rack).then(
            () => true,
            () => false,
          ),
        { timeout },
      )
      .toBe(true)
    await upgrade(definition('racks', { kind: 'Rack', fields: ['colour', 'height'] }))
    expect(await fieldsOf('racks')).toEqual(['colour', 'height'])
    expect(await client.get(kind, rack.metadata)).toMatchObject({ spec: { colour: 'red' } })
  })

  test('that are newer are kept, and the differences are logged', { timeout }, async () => {
    await installed('helm', definition('walls', { fields: ['colour', 'height'] }))
    const lines = await upgrade(definition('walls'))
    expect(lines).toMatchObject([
      { definition: 'walls.example.com', unknownHere: ['v1 .spec.height'] },
    ])
    expect(await fieldsOf('walls')).toEqual(['colour', 'height'])
  })

  test('are not changed at all if one of them cannot be upgraded', { timeout }, async () => {
    await installed('argocd-controller', definition('doors'))
    await installed('helm', definition('floors', { versions: ['v1', 'v2'] }))
    await installed('helm', definition('roofs'))
    const attempt = upgrade(
      definition('doors', { fields: ['colour', 'height'] }),
      definition('floors', { versions: ['v1'] }),
      definition('roofs', { fields: ['colour', 'height'] }),
    )
    await expect(attempt).rejects.toThrow(DefinitionsRefused)
    const message = await attempt.then(String, ({ message }: Error) => message)
    expect(message).toMatch(
      /^- doors\.example\.com: .*argocd-controller.*crds\.upgradeJob\.enabled/m,
    )
    expect(message).toMatch(/^- floors\.example\.com: objects may be stored as v2,/m)
    expect(message).not.toContain('roofs')
    expect(await fieldsOf('roofs')).toEqual(['colour'])
    expect((await present('floors')).spec.versions).toHaveLength(2)
  })

  test('that the API server does not serve cause an error', { timeout }, async () => {
    await installed('helm', definition('lamps', { kind: 'Lamp' }))
    await upgrade(definition('chairs'))
    await expect(upgrade(definition('lanterns', { kind: 'Lamp' }))).rejects.toThrow(
      /- lanterns\.example\.com: .*already in use/,
    )
  })
})
