import {
  CustomResourceDefinitionKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'

export interface Widget extends KubeObject {
  spec?: { size?: number | bigint; text?: string }
  status?: { phase?: string }
}

export const widgetKind: KindRef<Widget> = kindRef({
  group: 'kube-check.example.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  scope: 'Namespaced',
})

/** Defines the kind and waits until it is served. */
export async function defineWidgets(client: KubeClient): Promise<void> {
  const { group, version, plural, kind } = widgetKind
  const fields = (properties: object): object => ({ type: 'object', properties })
  const schema = fields({
    spec: fields({
      size: { type: 'integer', format: 'int64', minimum: 0 },
      text: { type: 'string', maxLength: 200_000 },
    }),
    status: fields({ phase: { type: 'string' } }),
  })
  await client.apply(
    CustomResourceDefinitionKind,
    {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular: 'widget', listKind: 'WidgetList' },
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: schema },
          },
        ],
      },
    },
    { fieldManager: 'check' },
  )
  const deadline = performance.now() + 120_000
  for (;;) {
    const served = await client.list(widgetKind, { namespace: 'default' }).then(
      () => true,
      () => false,
    )
    if (served) return
    if (performance.now() > deadline) throw new Error('widgets are not served')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export async function createNamespace(client: KubeClient, name: string): Promise<void> {
  const kind = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace' }
  await client.apply(
    { ...kind, namespaced: false },
    { metadata: { name } },
    { fieldManager: 'check' },
  )
}
